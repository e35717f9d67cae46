import { ArrayMaxSize, IsArray, IsInt, IsOptional, IsString, IsUUID, Matches, Min } from 'class-validator';
import { Required } from '../validation/decorators.js';
import { NestedList } from '../validation/nested.js';

/** 128 random bits in base64url. */
export const linkCodePattern = /^[\w-]{22}$/;

export class ResolveLinkRequest {
  @Required()
  @Matches(linkCodePattern)
  code: string;
}

export class ResolvedLink {
  /** Absent if there is no such link. */
  @IsOptional()
  @IsString()
  url?: string;
}

/** Further clicks of the same link are counted, but not stored one by one. */
export const maxIndividualClicks = 10;

/** The clicks of one link since the gateway's last report. */
export class ClickedLink {
  @Required()
  @Matches(linkCodePattern)
  code: string;

  /** Ids of single clicks, created at the time of the click. A repeated report is detected by them. */
  @IsArray()
  @ArrayMaxSize(maxIndividualClicks)
  @IsUUID(undefined, { each: true })
  ids: string[];

  /** Number of further clicks. A repetition is detected by the first of `ids`. */
  @IsInt()
  @Min(0)
  more: number;
}

export class CountClicksRequest {
  @NestedList(ClickedLink)
  links: ClickedLink[];
}

export class CountedClicks {
  @IsInt()
  counted: number;
}
