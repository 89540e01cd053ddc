// Reads many keys by one script of the server's own, where it takes scripts that only read: type, value and term of each, at one instant. It changes nothing, and leaves large values to who reads them one by one.
import { type Arg, type Db, listOf, Refused, type Reply, textOf } from "./connect.ts";

/** Of each key its type, when it expires, and its value where that is small: a script holds everybody else up while it runs. With arguments, of a hash those fields alone. */
const SCRIPT = `
local ways = { hash = {'HLEN', 512, 'HGETALL'}, string = {'STRLEN', 65536, 'GET'}, list = {'LLEN', 512, 'LRANGE', '0', '-1'},
  set = {'SCARD', 512, 'SMEMBERS'}, zset = {'ZCARD', 512, 'ZRANGE', '0', '-1'} }
local read = {}
for at, key in ipairs(KEYS) do
  local type = redis.call('TYPE', key).ok
  local way = ways[type]
  local value = false
  if type == 'hash' and #ARGV > 0 then value = redis.call('HMGET', key, unpack(ARGV))
  elseif way and redis.call(way[1], key) <= way[2] then value = redis.call(way[3], key, unpack(way, 4)) end
  read[at] = { type, redis.call('PEXPIRETIME', key), value }
end
return read`;

export interface ReadKey {
  readonly type: string;
  readonly expires: Reply;
  /** As the command of its type answers; null where it is to be read by itself. */
  readonly reply: Reply;
}

/** Undefined where this server (before 7) or this user takes no such script. @param fields of hashes, where not all are wanted */
export async function readTogether(
  db: Db,
  names: readonly Arg[],
  fields: readonly string[] | undefined,
): Promise<readonly ReadKey[] | undefined> {
  const [answer] = await db.sendAll([["EVAL_RO", SCRIPT, String(names.length), ...names, ...(fields ?? [])]]);
  if (answer === undefined || answer instanceof Refused) return undefined;
  return listOf(answer).map((one) => {
    const [type = null, expires = null, reply = null] = listOf(one);
    return { type: textOf(type), expires, reply };
  });
}
