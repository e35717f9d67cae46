/** Secrets that only these apps read. A test compares them with the configuration of each app. */
const readers: Readonly<Record<string, readonly string[]>> = {
  DATA_KEY: ['messaging', 'otp', 'airtime', 'lookup', 'callback'],
  OTP_PEPPER: ['otp'],
  DEBUG_TOKEN: ['gateway'],
  LOOKUP_PROVIDER_SECRET: ['lookup'],
};

/** What one app gets of an environment: everything but the secrets of other apps, and the files that contain them. */
export const inheritedBy = (app: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => readers[name.replace(/_FILE$/, '')]?.includes(app) ?? true,
    ),
  );
