/*
 * Secrets and certificates: as text in a variable, or in a file that a variable names with `_FILE`, like
 * mounted secrets. A file is read at every use, so that a rotated secret needs no restart.
 */
import { readFileSync } from 'node:fs';
import { type Environment, readText, SettingError } from './environment.ts';

/** A secret from the environment. */
export interface Secret {
  /** Its setting, for messages: KAFKA_PASSWORD or KAFKA_PASSWORD_FILE. */
  setting: string;
  /** Its file; null if the environment has the text itself. */
  file: string | null;
  /**
   * Its present text, without white space at the ends. If the file cannot be read, for instance during a
   * replacement, this returns the last text.
   */
  read(): string;
}

/**
 * Reads NAME or NAME_FILE.
 *
 * @returns null if neither is set
 * @throws SettingError if both are set, or the file cannot be read or is empty
 */
export function readSecret(env: Environment, name: string): Secret | null {
  const text = readText(env, name);
  const fileSetting = `${name}_FILE`;
  const file = readText(env, fileSetting);
  if (text !== null && file !== null) {
    throw new SettingError(`${name} and ${fileSetting} are both set; unset one of them.`);
  }
  if (file !== null) return openSecretFile(fileSetting, file);
  return text === null ? null : { setting: name, file: null, read: () => text };
}

/**
 * A secret in a file.
 *
 * @param setting the setting that names the file
 * @throws SettingError if the file cannot be read or is empty
 */
export function openSecretFile(setting: string, file: string): Secret {
  let last = readNow(setting, file);
  return {
    setting,
    file,
    read() {
      try {
        last = readNow(setting, file);
      } catch (error) {
        if (!(error instanceof SettingError)) throw error;
      }
      return last;
    },
  };
}

function readNow(setting: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw new SettingError(`${setting} is "${file}", which cannot be read (${reason}).`, { cause });
  }
  if (text === '') throw new SettingError(`${setting} is "${file}", which is empty.`);
  return text;
}
