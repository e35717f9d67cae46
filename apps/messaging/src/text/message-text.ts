import { type DeliveryText, parsePhone } from '@gangan/contracts';
import { type RowOf, t } from '@gangan/database';
import { RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { render, type Substitutions, valueOf } from './rendering.js';
import { linksIn, newLinkCode, withLinks } from './tracked-text.js';

/** The values for one recipient; `to` is the number as the caller wrote it. */
export interface Personalisation {
  readonly to: string;
  /** The same in E.164. Absent in messages that an earlier version stored. */
  readonly recipient?: string;
  readonly substitutions: Substitutions;
}

/** The columns of a message that its texts are made of. */
export const contentShape = {
  content: t.text,
  personalisation: t.nullable(t.json<readonly Personalisation[]>()),
  /** Set if the carrier renders the template. */
  templateProviderName: t.nullable(t.text),
  templateLanguage: t.nullable(t.text),
  templateVariables: t.array(t.text),
};

export type MessageContent = RowOf<{ readonly shape: typeof contentShape }>;

export interface Recipient {
  readonly recipient: string;
  readonly recipientGiven: string;
  /** Set for recipients of a smartlist; those of others are in the message. */
  readonly substitutions?: Substitutions | null;
}

const nothing: Substitutions = {};

/** Builds the text of each recipient: the same when it is priced and on every attempt. */
@Injectable()
export class MessageTexts {
  private readonly byGivenNumber = new WeakMap<object, ReadonlyMap<string, Substitutions>>();
  private readonly byNumber = new WeakMap<object, ReadonlyMap<string, Substitutions>>();

  constructor(
    private readonly config: RuntimeConfig,
    private readonly messaging: MessagingConfig,
  ) {}

  /** The country of phone numbers without a country code. */
  get region(): string {
    return this.messaging.DEFAULT_REGION;
  }

  get linkLength(): number {
    return this.linkOf(newLinkCode()).length;
  }

  /** @param linkCodes the codes of the delivery's tracked links, by position; without them links stay unchanged */
  textFor(message: MessageContent, recipient: Recipient, linkCodes: readonly string[] = []): DeliveryText {
    const substitutions = recipient.substitutions ?? this.substitutionsFor(message, recipient);
    return this.fill(message, substitutions, linkCodes);
  }

  fill(message: MessageContent, substitutions: Substitutions, linkCodes: readonly string[]): DeliveryText {
    const links = linkCodes.map((code) => this.linkOf(code));
    if (message.templateProviderName === null) {
      return { text: withLinks(render(message.content, substitutions), links) };
    }
    const values = withLinksInEach(valuesOf(message, substitutions), links);
    const filledIn = Object.fromEntries(
      message.templateVariables.map((name, index) => [name, values[index] ?? '']),
    );
    return {
      text: render(message.content, filledIn),
      template: { name: message.templateProviderName, language: message.templateLanguage ?? '', values },
    };
  }

  /** The links that can be replaced. In a template that the carrier renders, only values can. */
  linksFor(message: MessageContent, substitutions: Substitutions): string[] {
    return message.templateProviderName === null
      ? linksIn(render(message.content, substitutions))
      : valuesOf(message, substitutions).flatMap(linksIn);
  }

  linkOf(code: string): string {
    return `${this.config.PUBLIC_URL}/l/${code}`;
  }

  private substitutionsFor(message: MessageContent, { recipient, recipientGiven }: Recipient): Substitutions {
    const { personalisation } = message;
    if (!personalisation) return nothing;
    const exact = mapOf(this.byGivenNumber, personalisation, ({ to }) => to).get(recipientGiven);
    return (
      exact ??
      mapOf(
        this.byNumber,
        personalisation,
        (item) => item.recipient ?? parsePhone(item.to, this.region)?.e164 ?? item.to,
      ).get(recipient) ??
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

const valuesOf = (message: MessageContent, substitutions: Substitutions): string[] =>
  message.templateVariables.map((name) => valueOf(substitutions, name) ?? '');

function withLinksInEach(texts: readonly string[], links: readonly string[]): string[] {
  let used = 0;
  return texts.map((text) => {
    const own = links.slice(used, (used += linksIn(text).length));
    return withLinks(text, own);
  });
}
