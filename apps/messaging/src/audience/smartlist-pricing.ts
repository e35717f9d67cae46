import { Prices } from '@gangan/billing';
import { type OpenedSmartlist, measureText } from '@gangan/contracts';
import { AppError, type FieldError } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { MessageTexts } from '../text/message-text.js';
import type { Draft } from '../messages/draft.js';
import type { Estimate } from '../messages/pricing.js';
import { boundOf } from './text-bound.js';
import { namesIn, rawNames, unknownName } from './column-names.js';
import { SmartlistReader } from './smartlist-reader.js';

export interface SmartlistWish {
  readonly smartlistId: string;
  readonly phoneColumn: string | undefined;
}

/** What a smartlist costs at most: whoever is on it, and what they read, is found out when it is expanded. */
@Injectable()
export class SmartlistEstimates {
  constructor(
    private readonly reader: SmartlistReader,
    private readonly texts: MessageTexts,
    private readonly prices: Prices,
  ) {}

  async estimateOf(
    { smartlistId, phoneColumn }: SmartlistWish,
    draft: Draft,
    trackable: boolean,
  ): Promise<Estimate> {
    const { opened, refused } = await this.open({
      smartlist_id: smartlistId,
      ...(phoneColumn !== undefined && { phone_column: phoneColumn }),
      names: namesIn(draft.body),
    });
    const faults = [
      ...draft.faults,
      ...refused,
      ...rawNames(draft.body, draft.source),
      ...opened.unknown.map((name) => unknownName(name, draft.source)),
    ];
    if (faults.length > 0) return { shares: [], paging: measureText(''), kobo: 0n, faults };
    const { paging, fault } = boundOf(draft, opened.columns, trackable, this.texts);
    const highest = (await this.prices.current()).highestOf(draft.channel);
    return {
      shares: [],
      list: opened.list,
      paging,
      kobo: BigInt(opened.rows) * BigInt(paging.pages) * highest,
      faults: fault ? [fault] : [],
    };
  }

  /** What is wrong with it is told together with the rest. */
  private async open(
    request: Parameters<SmartlistReader['open']>[0],
  ): Promise<{ readonly opened: OpenedSmartlist; readonly refused: readonly FieldError[] }> {
    try {
      return { opened: await this.reader.open(request), refused: [] };
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 400) throw error;
      return { opened: { list: '', rows: 0, columns: [], unknown: [] }, refused: error.fields };
    }
  }
}
