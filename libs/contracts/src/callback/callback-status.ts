/** `pending`: it will be tried, or tried again. `failed`: never taken. `gone`: answered with 410. */
export const callbackStatuses = ['pending', 'delivered', 'failed', 'gone'] as const;

export type CallbackStatus = (typeof callbackStatuses)[number];
