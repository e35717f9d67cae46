import { type DeliveryText, parsePhone } from '@gangan/contracts';
import { RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { newLinkCode } from './link-codes.js';
import { render, type Substitutions, valueOf } from './rendering.js';
import { linksIn, withLinks } from './tracked-text.js';

/** What is filled in for one recipient, who is named as the caller spelt the number. */
export interface Personalisation {
  readonly to: string;
  readonly substitutions: Substitutions;
}

/** As much of a message as its texts are made of. */
export interface MessageBody {
  readonly content: string;
  readonly personalisation: readonly Personalisation[] | null;
  /** Of a template that the carrier renders itself. */
  readonly templateProviderName: string | null;
  readonly templateLanguage: string | null;
  readonly templateVariables: readonly string[];
}

export interface Recipient {
  readonly recipient: string;
  readonly recipientGiven: string;
  /** What is filled in for this one, where it is kept with the recipient and not in the message. */
  readonly substitutions?: Substitutions | null;
}

const nothing: Substitutions = {};

/** What each recipient of a message reads: the same when it is priced, and whenever it is handed over. */
@Injectable()
export class MessageTexts {
  private readonly bySpelling = new WeakMap<object, ReadonlyMap<string, Substitutions>>();
  private readonly byNumber = new WeakMap<object, ReadonlyMap<string, Substitutions>>();

  constructor(private readonly config: RuntimeConfig) {}

  /** Of the address that a tracked link becomes. */
  get linkLength(): number {
    return this.linkOf(newLinkCode()).length;
  }

  /** @param linkCodes of the delivery's tracked links, in the order of their positions; none leaves links as they are */
  textFor(message: MessageBody, recipient: Recipient, linkCodes: readonly string[] = []): DeliveryText {
    const substitutions = recipient.substitutions ?? this.substitutionsFor(message, recipient);
    return this.filled(message, substitutions, linkCodes);
  }

  /** The same for what was found out before. */
  filled(message: MessageBody, substitutions: Substitutions, linkCodes: readonly string[]): DeliveryText {
    const links = linkCodes.map((code) => this.linkOf(code));
    if (message.templateProviderName === null) {
      return { text: withLinks(render(message.content, substitutions), links) };
    }
    const values = withLinksInEach(valuesOf(message, substitutions), links);
    const filledIn = Object.fromEntries(
      message.templateVariables.map((name, place) => [name, values[place] ?? '']),
    );
    return {
      text: render(message.content, filledIn),
      template: { name: message.templateProviderName, language: message.templateLanguage ?? '', values },
    };
  }

  /** The links that can be replaced. A carrier's template is the carrier's: only what is filled in is ours. */
  linksFor(message: MessageBody, substitutions: Substitutions): string[] {
    return message.templateProviderName === null
      ? linksIn(render(message.content, substitutions))
      : valuesOf(message, substitutions).flatMap(linksIn);
  }

  private linkOf(code: string): string {
    return `${this.config.PUBLIC_URL}/l/${code}`;
  }

  /** Reading a number costs more than all the rest: only where a recipient is spelt in two ways. */
  private substitutionsFor(message: MessageBody, { recipient, recipientGiven }: Recipient): Substitutions {
    const { personalisation } = message;
    if (!personalisation) return nothing;
    const spelt = mapOf(this.bySpelling, personalisation, ({ to }) => to).get(recipientGiven);
    return (
      spelt ??
      mapOf(this.byNumber, personalisation, ({ to }) => parsePhone(to)?.e164 ?? to).get(recipient) ??
      nothing
    );
  }
}

function mapOf(
  known: WeakMap<object, ReadonlyMap<string, Substitutions>>,
  items: readonly Personalisation[],
  keyOf: (item: Personalisation) => string,
): ReadonlyMap<string, Substitutions> {
  let map = known.get(items);
  if (!map) {
    map = new Map(items.map((item) => [keyOf(item), item.substitutions]));
    known.set(items, map);
  }
  return map;
}

const valuesOf = (message: MessageBody, substitutions: Substitutions): string[] =>
  message.templateVariables.map((name) => valueOf(substitutions, name) ?? '');

function withLinksInEach(texts: readonly string[], links: readonly string[]): string[] {
  let used = 0;
  return texts.map((text) => {
    const own = links.slice(used, (used += linksIn(text).length));
    return withLinks(text, own);
  });
}
