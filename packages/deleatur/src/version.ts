// The version of this package, as it stands in attestations; a test holds it to package.json.

export const VERSION = "0.1.0";
