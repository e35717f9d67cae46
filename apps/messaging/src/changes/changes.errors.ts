import { AppError } from '@gangan/protocol';

export const alreadyCompleted = (action: 'pause' | 'cancel'): AppError =>
  new AppError(
    'already_completed',
    409,
    `The message is completed: no recipient waits to be sent, so there is nothing to ${action}`,
  );

export const alreadyCanceled = (): AppError =>
  new AppError('already_canceled', 409, 'The message is canceled and cannot be paused');
