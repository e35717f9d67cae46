export { countClicks, resolveLink } from './link.contract.js';
export {
  ClickedLink,
  CountClicksRequest,
  CountedClicks,
  linkCode,
  mostClicksToldSingly,
  ResolvedLink,
  ResolveLinkRequest,
} from './link.dto.js';
