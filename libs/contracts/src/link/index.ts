export { countClicks, resolveLink } from './link.contract.js';
export {
  ClickedLink,
  CountClicksRequest,
  CountedClicks,
  linkCode,
  maxClicksReportedSingly,
  ResolvedLink,
  ResolveLinkRequest,
} from './link.dto.js';
