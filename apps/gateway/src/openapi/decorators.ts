import type { ReplyShape, RequestContract } from '@gangan/protocol';
import { applyDecorators, Get, Header, SetMetadata } from '@nestjs/common';
import { ServesFixedDocument } from '../http/fixed-document.js';
import { ExtendRouteConfig, Public } from '../http/routes/access.js';
import type { HeaderName } from './headers.js';

const operationKey = 'openapi:operation';
const tagKey = 'openapi:tag';

interface OperationTexts {
  readonly summary: string;
  /** What the summary does not say: cost, limits, special cases. */
  readonly description: string;
  /** Error statuses of this operation that do not follow from its inputs, such as 402. */
  readonly errors?: readonly number[];
  /** The media types of request and response, if not JSON. */
  readonly requestType?: 'text/csv';
  readonly responseType?: 'text/csv';
  /** Response headers of a success, in addition to those of every response. */
  readonly headers?: readonly HeaderName[];
}

export interface DeclaredOperation extends OperationTexts {
  /** Absent if the response is a redirect. */
  readonly shape?: ReplyShape;
}

export interface Tag {
  readonly name: string;
  readonly description?: string;
  readonly externalDocs?: ExternalDocs;
}

export interface ExternalDocs {
  readonly url: string;
  readonly description: string;
}

/** Describes a route: what it returns (the reply of its contract, or a class) and what it is for. */
export function ApiOperation(reply: ReplyShape | RequestContract, texts: OperationTexts): MethodDecorator {
  const { reply: shape, deadlineMs } = 'reply' in reply ? reply : { reply, deadlineMs: undefined };
  const operation: DeclaredOperation = { ...texts, shape };
  return applyDecorators(SetMetadata(operationKey, operation), ExtendRouteConfig({ deadlineMs }));
}

/** Describes a route that redirects (302), such as a short link. It needs no key. */
export const ApiRedirect = (texts: Pick<OperationTexts, 'summary' | 'description'>): MethodDecorator =>
  SetMetadata(operationKey, texts satisfies DeclaredOperation);

/** Leaves the route out of the OpenAPI document. */
export const Undocumented = (): MethodDecorator => SetMetadata(operationKey, 'undocumented');

/** The section of a controller's routes. If several controllers share one, the first gives its description. */
export const ApiTag = (name: string, description?: string): ClassDecorator =>
  SetMetadata(tagKey, { name, ...(description !== undefined && { description }) } satisfies Tag);

export const operationOf = (method: object): DeclaredOperation | 'undocumented' | undefined =>
  Reflect.getMetadata(operationKey, method) as DeclaredOperation | 'undocumented' | undefined;

export const tagOf = (controller: object): Tag | undefined =>
  Reflect.getMetadata(tagKey, controller) as Tag | undefined;

/**
 * A public `GET` that serves a `FixedDocument` and is not in the OpenAPI document.
 * @param type the media type, unless the method sets it
 */
export const GetFixedDocument = (path?: string, type?: string): MethodDecorator =>
  applyDecorators(
    ...[Get(path), Public(), Undocumented(), ServesFixedDocument()],
    ...(type === undefined ? [] : [Header('content-type', `${type}; charset=utf-8`)]),
  );
