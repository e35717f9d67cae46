export { countClicks, resolveLink } from './link.contract.js';
export {
  ClickedLink,
  CountClicksRequest,
  CountedClicks,
  linkCodePattern,
  maxIndividualClicks,
  ResolvedLink,
  ResolveLinkRequest,
} from './link.dto.js';
