import {
  type CallbackRules,
  type ContractSettings,
  findUnknownFields,
  NameSearch,
  parseQueryNumbers,
  validate,
} from '@gangan/contracts';
import { type Dto, type FieldError, invalidRequest } from '@gangan/protocol';
import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { declaredAccess, declaredInputs } from '../routes/access.js';
import type { RouteInputs } from '../routes/route-inputs.js';
import { faultsOf, jsonFaults } from './json-faults.js';
import { type Fields, mergeFields, withPlus } from './merge-fields.js';

const maxErrors = 100;
/** Names in the header of ignored fields. */
const maxIgnoredNames = 10;
const maxNameLength = 100;

/**
 * Validates the DTOs of each controller method, with further rules for callbacks if those of the organisation are
 * restricted; without DTOs, only faults of the body are reported. Not a pipe, which sees
 * one argument: all invalid fields are reported together. Not an interceptor: with even one, Nest creates a dozen
 * observables, promises and async contexts per request.
 */
export function validateInputs(
  fastify: FastifyInstance,
  settings: ContractSettings,
  callbackRules: CallbackRules,
): void {
  const restricted = settings.withCallbackRules(callbackRules);
  fastify.addHook('onRoute', (route) => {
    const inputs = declaredInputs(route.config);
    const { scope, takes } = declaredAccess(route.config) ?? {};
    const readAll: preHandlerHookHandler = (request, reply, done) => {
      try {
        const own = request.apiKey?.restrictedCallbacks === true ? restricted : settings;
        const ignored = readInputs(request, inputs, own, takes === undefined);
        if (ignored.length > 0 && scope !== 'public') reply.header('x-ignored-fields', listOf(ignored));
      } catch (error) {
        done(error as Error);
        return;
      }
      done();
    };
    route.preHandler = [...[route.preHandler ?? []].flat(), readAll];
  });
}

/**
 * Replaces body and query of the request by validated DTOs.
 * @returns the names of unknown fields, which are ignored
 * @throws AppError 400 with every invalid field
 */
function readInputs(
  request: FastifyRequest,
  inputs: RouteInputs,
  settings: ContractSettings,
  takesJson: boolean,
): readonly string[] {
  const faults = [...faultsOf(request)];
  const invalid: FieldError[] = [];
  const ignored: string[] = [];
  const names = new NameSearch();
  const check = (dto: Dto<object>, fields: Fields, fromQuery: Fields = {}): object => {
    const result = validate(dto, fields, settings, names);
    const errors = result.ok ? [] : result.errors;
    const unknown = findUnknownFields(dto, fields, errors, names);
    ignored.push(...unknown.ignored);
    for (const error of [...errors, ...unknown.errors])
      invalid.push(Array.isArray(fromQuery[error.field]) ? repeatedField(error) : error);
    return result.ok ? result.value : fields;
  };
  const { body, query, bodyOrQuery, pathOrQuery } = inputs;
  const queryDto = query ?? bodyOrQuery ?? pathOrQuery;
  const given = (request.body ?? {}) as Fields;
  if (body) request.body = check(body, given);
  else if (takesJson && !bodyOrQuery) ignored.push(...Object.keys(given));
  if (queryDto) {
    const queried = request.query as Fields;
    const numbered = parseQueryNumbers(queryDto, queried) as Fields;
    const merged = bodyOrQuery
      ? mergeFields('body', given, numbered)
      : pathOrQuery && mergeFields('path', withPlus(request.params as Fields), numbered);
    faults.push(...jsonFaults(queried), ...(merged?.contradictions ?? []));
    request.query = check(queryDto, merged?.fields ?? numbered, queried);
  } else {
    ignored.push(...Object.keys(request.query as Fields));
  }
  const errors = [...faults, ...withoutFieldsOf(faults, invalid)];
  if (errors.length > 0) throw invalidRequest(errors.slice(0, maxErrors));
  return ignored;
}

/** Percent-encoded: a name may have any characters. */
const listOf = (names: readonly string[]): string =>
  names
    .slice(0, maxIgnoredNames)
    .map((name) => encodeURIComponent(name.slice(0, maxNameLength).toWellFormed()))
    .join(', ');

/** A field with a fault is reported once: further errors of the same field are left out. */
const withoutFieldsOf = (faults: readonly FieldError[], errors: readonly FieldError[]): FieldError[] =>
  errors.filter(
    ({ field }) => !faults.some(({ field: name }) => field === name || field.startsWith(`${name}.`)),
  );

/** A repeated query parameter arrives as a list. "must be a string" would not say what is wrong. */
const repeatedField = (error: FieldError): FieldError => ({
  ...error,
  message: `${error.field} is given more than once in the query`,
});
