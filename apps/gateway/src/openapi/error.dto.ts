import { ApiField, NestedList } from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import { IsInt, IsString, Matches } from 'class-validator';
import type { ErrorBody } from '../http/error-answer.js';

/** What is wrong with one field. */
export class InvalidField implements FieldError {
  @IsString()
  @ApiField('The name of the field; nested ones are dotted: `personalisation.0.to`', 'phone')
  field: string;

  @IsString()
  @ApiField('What is wrong, and what would be right', 'phone is required')
  message: string;

  @IsString()
  @Matches(/^[a-z_]+$/)
  @ApiField('The kind of wrong, for programs', 'missing')
  type: string;
}

/** The one shape of every answer that is not a success. */
export class ErrorAnswer implements ErrorBody {
  @IsInt()
  @ApiField('The HTTP status, once more', 400)
  status: number;

  @IsString()
  @ApiField('What happened and what to do about it', 'The request is invalid')
  message: string;

  @NestedList(InvalidField)
  @ApiField('Every invalid field at once; empty when no single field is to blame')
  errors: InvalidField[];
}
