import { Schemas } from '@gangan/contracts';
import type { Type } from '@nestjs/common';
import { headers } from './headers.js';
import { operationOf } from './operation.js';
import { idempotencyKey, takesIdempotencyKey } from './parameters.js';
import { refusalResponses } from './refusal-responses.js';
import { type Route, routesOf } from './routes.js';

const introduction = `SMS and WhatsApp messages, one-time passwords, airtime, phone lookup and contact lists.

**Key.** Send your API key alone in the \`Authorization\` header, without \`Bearer\`. A system started with \`pnpm start\` knows the key \`sk_test_demo\`.

**Bodies** are JSON objects in UTF-8. Fields that nobody knows are ignored; \`null\` means absent. No answer holds \`null\`: what is not there is left out.

**Errors** have one shape, whatever went wrong, and name every invalid field at once.

**Times** look like \`2026-11-15T09:30:00.123000+00:00\`; **money** is decimal naira.

**Retries.** Every answer has an \`X-Request-Id\`; send your own to find a request again. With an \`Idempotency-Key\` a POST or PATCH can be sent again without being done twice.`;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** The whole interface in OpenAPI 3.1, read from the controllers and their DTOs. */
export function documentOf(controllers: readonly Type[], publicUrl: string): OpenApiDocument {
  const routes = routesOf(controllers);
  const schemas = new Schemas();
  const operations = routes.map((route) => ({ route, operation: operationOf(route, schemas) }));
  const statuses = new Set(operations.flatMap(({ operation }) => Object.keys(operation.responses)));
  const responses = refusalResponses(statuses, schemas);
  const paths: Record<string, Record<string, object>> = {};
  for (const { route, operation } of operations) (paths[route.path] ??= {})[route.method] = operation;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gangan',
      version: '1.0.0',
      summary: 'Messaging over one HTTP API',
      description: introduction,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: 'This gateway' }],
    tags: chaptersOf(routes),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The key alone, without a scheme word',
        },
      },
      ...(routes.some(takesIdempotencyKey) && { parameters: { IdempotencyKey: idempotencyKey } }),
      headers: usedHeaders(JSON.stringify([paths, responses])),
      responses,
      schemas: schemas.components,
    },
  } as OpenApiDocument;
}

const chaptersOf = (routes: readonly Route[]): object[] => {
  const chapters = new Map(routes.map(({ chapter }) => [chapter.name, chapter]));
  return [...chapters.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
};

const usedHeaders = (text: string): object =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => text.includes(`#/components/headers/${name}"`)),
  );
