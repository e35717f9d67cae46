/** The log, injected by this class: what is known about the event first, then the event in words. */
export abstract class AppLogger {
  abstract debug(details: object, message: string): void;
  abstract info(details: object, message: string): void;
  abstract warn(details: object, message: string): void;
  abstract error(details: object, message: string): void;
  abstract fatal(details: object, message: string): void;
}
