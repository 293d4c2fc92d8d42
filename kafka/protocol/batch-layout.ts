/** The places of the fields of a record batch's header, in bytes. */

export const LENGTH_AT = 8;
export const MAGIC_AT = 16;
export const CRC_AT = 17;
/** The checksum covers everything from here to the end. */
export const ATTRIBUTES_AT = 21;
export const LAST_OFFSET_DELTA_AT = 23;
export const FIRST_TIMESTAMP_AT = 27;
export const MAX_TIMESTAMP_AT = 35;
export const PRODUCER_ID_AT = 43;
export const RECORD_COUNT_AT = 57;
export const RECORDS_AT = 61;
/** First offset and length: the part of the header that the length does not count. */
export const PREFIX_BYTES = 12;

/** The version of the format, the only one since 2017. */
export const CURRENT_MAGIC = 2;
