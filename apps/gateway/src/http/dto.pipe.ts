import { fromQuery, validate } from '@gangan/contracts';
import { type Dto, invalidRequest } from '@gangan/protocol';
import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { jsonFaults } from './json-faults.js';

const plainTypes: readonly unknown[] = [undefined, Object, String, Number, Boolean, Array];

/** Gives a controller its DTO, or the caller every invalid field at once. An absent body is one without fields. */
@Injectable()
export class DtoPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (plainTypes.includes(metatype)) return value;
    const dto = metatype as Dto<object>;
    const fields = value ?? {};
    const result = validate(dto, type === 'query' ? fromQuery(dto, withoutFaults(fields)) : fields);
    if (result.ok) return result.value;
    throw invalidRequest(result.errors);
  }
}

/** A body has been looked through where it was parsed. */
function withoutFaults(query: object): object {
  const faults = jsonFaults(query);
  if (faults.length > 0) throw invalidRequest(faults);
  return query;
}
