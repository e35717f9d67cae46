import { AppError, type ErrorType, fieldError } from '@gangan/protocol';

const conflict = (type: ErrorType, sentence: string): AppError =>
  new AppError(type, 409, sentence, { fields: [fieldError('id', sentence, type)] });

export const alreadyCompleted = (action: 'pause' | 'cancel'): AppError =>
  conflict(
    'already_completed',
    `The message is completed: all recipients were sent to or have ended, so there is nothing to ${action}.`,
  );

export const alreadyCanceled = (): AppError =>
  conflict('already_canceled', 'The message is canceled and cannot be paused.');
