import { ArrayMaxSize, IsArray, IsInt, IsOptional, IsString, IsUUID, Matches, Min } from 'class-validator';
import { NestedList } from '../validation/nested.js';
import { Required } from '../validation/required.js';

/** 128 random bits in base64url. */
export const linkCodePattern = /^[\w-]{22}$/;

export class ResolveLinkRequest {
  @Required()
  @Matches(linkCodePattern)
  code: string;
}

export class ResolvedLink {
  /** Absent when nobody made such a link. */
  @IsOptional()
  @IsString()
  url?: string;
}

/** More of one link at once are counted, but not written down one by one. */
export const maxIndividualClicks = 10;

/** How often one link was followed since a gateway last told of it. */
export class ClickedLink {
  @Required()
  @Matches(linkCodePattern)
  code: string;

  /** Of single clicks, each made as it happened: its first part is the time, and who is told twice knows it again. */
  @IsArray()
  @ArrayMaxSize(maxIndividualClicks)
  @IsUUID(undefined, { each: true })
  ids: string[];

  /** Further clicks, which are known again by the first of the single ones. */
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
