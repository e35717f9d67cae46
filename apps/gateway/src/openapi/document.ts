import { type ContractSettings, Schemas } from '@gangan/contracts';
import type { Type } from '@nestjs/common';
import { type SampledOperation, sdkSample } from './code-sample.js';
import type { Tag } from './decorators.js';
import { errorResponses } from './error-responses.js';
import { guides, guidesPath } from './guide-list.js';
import { headers } from './headers.js';
import { describeOperation, idempotencyKey, takesIdempotencyKey } from './operation.js';
import { responseExamples } from './response-examples.js';
import { controllersOf, type Route, routesOf } from './routes.js';
import { describeWebhooks, webhooksTag } from './webhooks.js';

/** The version of the package; a test compares them. */
export const version = '0.2.0';

const introduction = (
  guidesUrl: string,
): string => `SMS and WhatsApp messages, one-time passwords, airtime, phone lookup and contact lists.

**Authentication.** Send your API key alone in the \`Authorization\` header, without \`Bearer\`. A system started with \`pnpm start\` has the key \`sk_test_demo\`.

**Bodies** are JSON objects in UTF-8. A field that looks like a typo is rejected; other unknown fields are ignored and named in \`X-Ignored-Fields\`. \`null\` means absent. Responses never contain \`null\`: absent fields are left out.

**Errors** have one format and name every invalid field. Their \`Link\` header leads to an explanation.

**Times** have the format \`2026-11-15T09:30:00.123000+00:00\`; **money** is decimal naira.

**Retries.** Every response has an \`X-Request-Id\`; send your own to trace a request. With an \`Idempotency-Key\` a POST or PATCH can be retried without being carried out twice.

**Guides.** ${guides.map(({ name, title }) => `[${title}](${guidesUrl}/${name})`).join(', ')}.`;

/** What most callers need comes first. */
const tagOrder = [
  ...['Messages', 'OTP', 'Airtime', 'Lookup', 'Contacts', 'Templates', 'Inbox', 'Opt-outs', 'Links'],
  ...['Callbacks', 'Events', 'Billing', 'Simulator', 'Health'],
];

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly webhooks: Readonly<Record<string, object>>;
}

/** The OpenAPI 3.1 document, derived from the controllers and their DTOs. */
export function documentOf(
  controllers: readonly Type[],
  publicUrl: string,
  settings?: ContractSettings,
): OpenApiDocument {
  const routes = routesOf(controllers);
  const guidesUrl = `${publicUrl}/${guidesPath}`;
  const schemas = new Schemas(settings);
  const examples = responseExamples(publicUrl);
  const operations = routes.map((route) => ({
    route,
    operation: describeOperation(route, schemas, examples[route.operationId]),
  }));
  const statuses = new Set(operations.flatMap(({ operation }) => Object.keys(operation.responses)));
  const responses = errorResponses(statuses, schemas);
  const webhooks = describeWebhooks(schemas, guidesUrl);
  const paths: Record<string, Record<string, object>> = {};
  for (const { route, operation } of operations) {
    const source = sdkSample(publicUrl, route.method, operation as SampledOperation, schemas.components);
    (paths[route.path] ??= {})[route.method] = {
      ...operation,
      ...(source !== undefined && {
        'x-codeSamples': [{ lang: 'typescript', label: 'TypeScript', source }],
      }),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gangan',
      version,
      summary: 'Messaging over one HTTP API',
      description: introduction(guidesUrl),
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [serverOf(publicUrl)],
    security: [{ apiKey: [] }],
    tags: tagsOf(routes, guidesUrl),
    externalDocs: { url: guidesUrl, description: 'Guides' },
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The API key alone, without a scheme such as Bearer',
        },
      },
      ...(routes.some(takesIdempotencyKey) && { parameters: { IdempotencyKey: idempotencyKey } }),
      headers: usedHeaders(JSON.stringify([paths, responses])),
      responses,
      schemas: schemas.components,
    },
  } as OpenApiDocument;
}

/** Makes the host a variable, so that clients and Postman can replace it. */
function serverOf(publicUrl: string): object {
  const { protocol, host, pathname } = new URL(publicUrl);
  return {
    url: `${protocol}//{host}${pathname.replace(/\/$/, '')}`,
    description: 'This gateway',
    variables: { host: { default: host, description: 'Name and port of the gateway' } },
  };
}

function tagsOf(routes: readonly Route[], guidesUrl: string): Tag[] {
  const tags = new Map<string, Tag>([[webhooksTag.name, webhooksTag]]);
  for (const { tag } of routes) if (!tags.get(tag.name)?.description) tags.set(tag.name, tag);
  return [...tags.values()]
    .map((tag) => withGuide(tag, guidesUrl))
    .sort((one, other) => placeOf(one) - placeOf(other));
}

/** The link is in the description too, because few viewers show that of a tag. */
function withGuide(tag: Tag, guidesUrl: string): Tag {
  const guide = guides.find(({ tags }) => tags?.includes(tag.name));
  if (!guide) return tag;
  const externalDocs = { url: `${guidesUrl}/${guide.name}`, description: `Guide: ${guide.title}` };
  const link = `[${externalDocs.description}](${externalDocs.url})`;
  return { ...tag, description: tag.description ? `${tag.description}. ${link}` : link, externalDocs };
}

/** Tags without a place come last. */
const placeOf = ({ name }: Tag): number =>
  tagOrder.includes(name) ? tagOrder.indexOf(name) : tagOrder.length;

const usedHeaders = (text: string): object =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => text.includes(`#/components/headers/${name}"`)),
  );

/** The document of a module as text, without a running app. */
export const documentText = (module: Type, publicUrl: string): string =>
  `${JSON.stringify(documentOf(controllersOf(module), publicUrl), null, 2)}\n`;
