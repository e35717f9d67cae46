import { Catch, type ExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/** Nest would turn every error into `Internal server error`; the reply envelope needs the error itself. */
@Catch()
export class ErrorPassthroughFilter implements ExceptionFilter {
  /** `translate` may know better what an error means to its caller, such as a database that is away. */
  constructor(private readonly translate: (error: unknown) => unknown = (error) => error) {}

  catch(error: unknown): Observable<never> {
    return throwError(() => this.translate(error));
  }
}
