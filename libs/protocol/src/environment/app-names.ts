/** Each is a process of its own, or in compact mode a part of one. */
export const appNames = ['gateway', 'messaging', 'otp', 'airtime', 'lookup', 'contacts', 'callback'] as const;

export type AppName = (typeof appNames)[number];
