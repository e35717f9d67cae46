import { noPriceFault } from '@gangan/billing';
import { measureText, type OpenedSmartlist, type OpenSmartlistRequest } from '@gangan/contracts';
import { AppError, fieldError, type FieldError } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { Price } from '../text/measure-message.js';
import { type MessageContent, MessageTexts } from '../text/message-text.js';
import { placeholdersOf } from '../text/rendering.js';
import type { RowPrices } from './row-prices.js';
import { SmartlistReader } from './smartlist-reader.js';
import { boundText, columnNames, type SmartlistDraft } from './text-bound.js';

/** Prices a message to a smartlist at its maximum; what the expansion does not need is refunded. */
@Injectable()
export class SmartlistPricing {
  constructor(
    private readonly reader: SmartlistReader,
    private readonly texts: MessageTexts,
  ) {}

  async price(
    list: Pick<OpenSmartlistRequest, 'smartlist_id' | 'phone_column'>,
    draft: SmartlistDraft & { readonly faults: readonly FieldError[] },
    trackable: boolean,
    prices: RowPrices,
  ): Promise<Price> {
    const { opened, refused } = await this.open({ ...list, names: columnNames(draft.body) });
    const faults = [
      ...draft.faults,
      ...refused,
      ...invalidNames(draft.body, draft.source),
      ...opened.unknown.map((name) => unknownColumn(name, draft.source)),
    ];
    if (faults.length > 0) return { deliveries: [], size: measureText(''), kobo: 0n, faults };
    const { size, fault } = boundText(draft, opened.columns, trackable, this.texts);
    return {
      list: opened.list,
      listRows: opened.rows,
      listPrices: prices.current,
      deliveries: [],
      size,
      kobo: prices.highestOf(opened.rows, size.pages),
      faults: [
        ...(fault ? [fault] : []),
        ...(prices.isEmpty ? [noPriceFault('smartlist_id', draft.channel, 'any number')] : []),
      ],
    };
  }

  /** Errors of the smartlist are returned with those of the request. */
  private async open(request: OpenSmartlistRequest): Promise<{
    readonly opened: OpenedSmartlist;
    readonly refused: readonly FieldError[];
  }> {
    try {
      return { opened: await this.reader.open(request), refused: [] };
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 400) throw error;
      return { opened: { list: '', rows: 0, columns: [], unknown: [] }, refused: error.fields };
    }
  }
}

const braces = /\{\{([^{}]*)\}\}/g;

/** Placeholders whose name cannot be the name of a column. */
function invalidNames({ content }: MessageContent, field: string): FieldError[] {
  const names = [...new Set([...content.matchAll(braces)].map(([, name = '']) => name.trim()))];
  return names
    .filter((name) => placeholdersOf(`{{${name}}}`).length === 0)
    .map((name) => {
      const shown = `${field}: {{${name.slice(0, 64)}}}`;
      return fieldError(field, `${shown} is not a valid placeholder: use letters from a to z, digits and _`);
    });
}

const unknownColumn = (name: string, field: string): FieldError =>
  fieldError(field, `${field}: {{${name}}} does not match a column of your contacts`);
