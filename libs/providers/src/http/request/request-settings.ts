import { listPointer, object, pointer, text, texts } from '../schema.js';

const hmacAlgorithms = ['md5', 'sha1', 'sha256', 'sha512'] as const;

/** A request. Its strings may contain placeholders. */
export interface RequestSettings {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly bearer?: string;
  readonly oauth2?: TokenSettings;
  readonly hmac?: HmacSettings;
  /** At most one body. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly text?: string;
  /** The values of `{encoding}`. */
  readonly encodings?: Readonly<Record<Encoding, string>>;
  /** Several messages in one request; absent if each message has its own. */
  readonly batch?: BatchSettings;
}

/** `plain`: all characters of a text are in the GSM alphabet. */
export type Encoding = 'plain' | 'unicode';

/** OAuth2 client credentials (RFC 6749, section 4.4). The access token becomes the bearer token. */
export interface TokenSettings extends Pick<RequestSettings, 'url' | 'headers' | 'basic' | 'json' | 'form'> {
  /** JSON pointers to the token and its lifetime in seconds in the answer. */
  readonly token?: string;
  readonly expiresIn?: string;
}

/** A signature of the request in a header. */
export interface HmacSettings {
  readonly header: string;
  readonly algorithm: (typeof hmacAlgorithms)[number];
  /** `hex` by default. */
  readonly encoding?: 'hex' | 'base64';
  /** The prefix of the signature, such as `sha256=`. */
  readonly prefix?: string;
  readonly secret: string;
  /** What is signed: `{body}` by default, with `{method}`, `{url}`, `{path}` and `{timestamp}`. */
  readonly of?: string;
}

/** How several messages share a request. Messages that differ outside the repeated part go in different requests. */
export interface BatchSettings {
  readonly size: number;
  /** A list in `json`: its only element is written once per message. */
  readonly items?: string;
  /** `{recipient}` and `{recipient_digits}` are lists with this separator. */
  readonly separator?: string;
}

const header = { type: 'string', pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$" };
const url = { ...text, pattern: '^https?://' };
const basic = object(['username', 'password'], { username: text, password: text });

const plainRequest = { method: { enum: ['GET', 'POST', 'PUT'] }, url, headers: texts, json: {}, form: texts };

/** JSON Schema of a request about a message. */
export const askSchema = object(['url'], { ...plainRequest, url: { ...text, pattern: '^(https?://|/)' } });

const signedRequest = {
  ...plainRequest,
  text,
  basic,
  bearer: text,
  oauth2: object(['url'], {
    url,
    headers: texts,
    basic,
    json: {},
    form: texts,
    token: pointer,
    expiresIn: pointer,
  }),
  hmac: object(['header', 'algorithm', 'secret'], {
    header,
    algorithm: { enum: hmacAlgorithms },
    encoding: { enum: ['hex', 'base64'] },
    prefix: text,
    secret: text,
    of: text,
  }),
};

/** JSON Schema of a request that is not for a message. */
export const singleRequestSchema = object(['url'], signedRequest);

/** JSON Schema of a request for a message. */
export const requestSchema = object(['url'], {
  ...signedRequest,
  encodings: object(['plain', 'unicode'], { plain: text, unicode: text }),
  batch: object(['size'], {
    size: { type: 'integer', minimum: 2, maximum: 100 },
    items: listPointer,
    separator: { type: 'string', minLength: 1, maxLength: 8 },
  }),
});
