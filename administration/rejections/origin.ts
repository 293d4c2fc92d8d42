import { OperatorError } from '../../service/operator-error.ts';

/** A place in the submissions topic. */
export interface Origin {
  partition: number;
  offset: number;
}

/** Parses `PARTITION/OFFSET`. @throws OperatorError if the form is wrong */
export function parseOrigin(text: string): Origin {
  const [, partition, offset] = /^([0-9]{1,9})\/([0-9]{1,15})$/.exec(text) ?? [];
  if (partition === undefined || offset === undefined) {
    throw new OperatorError(`"${text}" is not an origin; it must be like 3/1201, PARTITION/OFFSET.`);
  }
  return { partition: Number(partition), offset: Number(offset) };
}
