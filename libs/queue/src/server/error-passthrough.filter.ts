import { Catch, type ExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/** Nest would turn every error into `Internal server error`; the reply envelope needs the error itself. */
@Catch()
export class ErrorPassthroughFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
