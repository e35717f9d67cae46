/** A code has 128 random bits in base64url. */
export const linkCodePattern = /^[\w-]{22}$/;

export class ResolveLinkRequest {
  code: string;
}

export class ResolvedLink {
  /** The URL of the link; absent if there is no such link. */
  url?: string;
  /** Whether a test organisation sent the message. Workers of version 0.2 leave it out. */
  isTest?: boolean;
}

/** Further clicks of the same link are counted, but not stored one by one. */
export const maxIndividualClicks = 10;

/** The clicks of one link since the gateway's last report. */
export class ClickedLink {
  code: string;
  /** Ids of single clicks, created at the time of the click. A repeated report is detected by them. */
  ids: string[];
  /** Number of further clicks. A repetition is detected by the first of `ids`. */
  more: number;
}

export class CountClicksRequest {
  links: ClickedLink[];
}

export class CountedClicks {
  counted: number;
}
