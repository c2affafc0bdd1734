using System.Buffers;
using System.Text;
using System.Text.Json;
using Npgsql;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;

namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>
/// Locks jobs that are ready, for several kinds and priorities in one statement: walks from one key to the next by the index, round to the key where it began, and takes some of each key. How long that takes does not depend on how many jobs and keys there are.
/// </summary>
internal sealed class CandidateQuery
{
    // With OFFSET 0 an expression is computed once: without it the database copies it, and what it asks, to every place that uses it.
    private readonly string _sql;

    // Of one trip.
    private readonly List<LevelRequest> _requests = [];
    private readonly List<(Guid Id, long Ready)> _rows = [];
    private LevelRequest? _request;
    private string? _key;
    private KeyRows? _into;
    private int _asked;
    private long _low;

    public CandidateQuery(Database database)
    {
        // What runs of a key is looked up in an object: joins go row by row here (Loader.Settings), and would compare each key with each. Nothing that is sorted has the object in its rows.
        // A key and everything that begins with it lie below the same key with the last character behind it, so the smallest text behind a key is the key with the first character behind it.
        const string Ready = "job.state = 2 AND job.kind = request.kind AND job.priority = request.priority";
        var job = $"{database.Schema}.job AS job";
        _sql =
            $"""
            WITH RECURSIVE request AS MATERIALIZED (
              SELECT n::int, kind, priority, start, at, wrapped, low, first, split, last, need, most, room, probes, sigs::bigint[] AS sigs, busy::jsonb AS busy
              FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
                WITH ORDINALITY AS request(kind, priority, start, at, wrapped, low, first, split, last, need, most, room, probes, sigs, busy, n)
            ),
            walk(n, step, found, at, key, known, low, wrapped, done) AS (
              SELECT n, 0, 0, at COLLATE "C", NULL::text COLLATE "C", CASE WHEN wrapped THEN split ELSE first END, low, wrapped, false FROM request
              UNION ALL
              SELECT
                walk.n,
                walk.step + 1,
                walk.found + CASE WHEN next.done OR next.key IS NULL THEN 0 ELSE 1 END,
                CASE WHEN next.key IS NULL THEN '' ELSE next.key || chr(1) END,
                CASE WHEN NOT next.done THEN next.key END,
                CASE WHEN next.key IS NULL THEN request.split WHEN next.known THEN walk.known + 1 ELSE walk.known END,
                CASE WHEN next.known THEN ($17::bigint[])[walk.known] ELSE request.low END,
                walk.wrapped OR next.key IS NULL,
                next.done
              FROM walk
              JOIN request ON request.n = walk.n
              CROSS JOIN LATERAL (SELECT CASE WHEN walk.known < CASE WHEN walk.wrapped THEN request.last ELSE request.split END THEN ($16::text[])[walk.known] END AS key OFFSET 0) AS marked
              CROSS JOIN LATERAL (
                SELECT CASE
                  WHEN NOT request.probes THEN NULL
                  WHEN marked.key IS NULL THEN (SELECT job.key FROM {job} WHERE {Ready} AND job.key >= walk.at AND job.ready > request.low ORDER BY job.key LIMIT 1)
                  ELSE (SELECT job.key FROM {job} WHERE {Ready} AND job.key >= walk.at AND job.key < marked.key AND job.ready > request.low ORDER BY job.key LIMIT 1)
                END AS key OFFSET 0
              ) AS probed
              CROSS JOIN LATERAL (
                SELECT
                  coalesce(probed.key, marked.key) AS key,
                  probed.key IS NULL AND marked.key IS NOT NULL AS known,
                  walk.wrapped AND coalesce(coalesce(probed.key, marked.key) > request.start, coalesce(probed.key, marked.key) IS NULL) AS done
                OFFSET 0
              ) AS next
              WHERE NOT walk.done AND walk.found < request.most
            ),
            roomy AS (
              SELECT walk.*, request.need, greatest(request.room - coalesce((request.busy ->> walk.key)::int, 0), 0) AS room
              FROM walk
              JOIN request ON request.n = walk.n
              WHERE walk.step > 0
              OFFSET 0
            ),
            share AS MATERIALIZED (
              SELECT
                *,
                CASE WHEN key IS NULL OR room = 0 THEN 0 ELSE least(room,
                  need / count(*) FILTER (WHERE key IS NOT NULL AND room > 0) OVER (PARTITION BY n)
                  + CASE WHEN row_number() OVER (PARTITION BY n, key IS NOT NULL AND room > 0 ORDER BY step) <= need % count(*) FILTER (WHERE key IS NOT NULL AND room > 0) OVER (PARTITION BY n) THEN 1 ELSE 0 END) END AS asked
              FROM roomy
            )
            SELECT share.n, share.key, share.wrapped, share.done, share.asked::int, share.low, locked.id, locked.ready
            FROM share
            JOIN request ON request.n = share.n
            LEFT JOIN LATERAL (
              SELECT job.id, job.ready FROM {job}
              WHERE {Ready} AND job.key = share.key AND job.ready > share.low AND job.signature <> ALL(request.sigs)
              ORDER BY job.ready LIMIT share.asked FOR UPDATE SKIP LOCKED
            ) AS locked ON true
            ORDER BY share.n, share.step, locked.ready
            """;
    }

    /// <summary>What was fetched is in the levels when the pipeline has run, and <see cref="Complete"/>.</summary>
    public void Append(Pipeline pipeline, List<LevelRequest> requests)
    {
        _requests.Clear();
        _requests.AddRange(requests);
        (_request, _key, _into) = (null, null, null);
        _rows.Clear();
        List<string> keys = [];
        List<long> lows = [];
        var positions = new (int First, int Split, int Last)[requests.Count];
        for (var index = 0; index < requests.Count; index++)
        {
            var request = requests[index];
            request.Level.Ask();
            var first = keys.Count + 1;
            foreach (var (key, low) in request.Ahead.Concat(request.Behind))
            {
                keys.Add(key);
                lows.Add(low);
            }

            // From the first one to the one before the split, and from there to the one before the last.
            positions[index] = (first, first + request.Ahead.Count, keys.Count + 1);
        }

        pipeline.Query(_sql, Read)
            .With(requests.Select(static one => one.Kind).ToArray())
            .With(requests.Select(static one => one.Priority).ToArray())
            .With(requests.Select(static one => one.Keys is null ? one.Level.Start : null).ToArray())
            .With(requests.Select(static one => one.Keys is null ? one.Level.From : "").ToArray())
            .With(requests.Select(static one => one.Keys is not null || one.Level.IsWrapped).ToArray())
            .With(requests.Select(static one => one.Level.Low).ToArray())
            .With(positions.Select(static one => one.First).ToArray())
            .With(positions.Select(static one => one.Split).ToArray())
            .With(positions.Select(static one => one.Last).ToArray())
            .With(requests.Select(static one => one.Need).ToArray())
            .With(requests.Select(static one => one.Most).ToArray())
            .With(requests.Select(static one => one.Room).ToArray())
            .With(requests.Select(static one => one.Keys is null).ToArray())
            .With(requests.Select(static one => Literal(one.Foreign)).ToArray())
            .With(requests.Select(static one => Json(one.Busy)).ToArray())
            .With(keys.ToArray())
            .With(lows.ToArray());
    }

    /// <summary>The pipeline has run.</summary>
    public void Complete() => EndKey();

    // An array of arrays has to be a rectangle: each of them goes as its text.
    private static string Literal(long[] values) => $"{{{string.Join(',', values)}}}";

    private static string Json(IReadOnlyDictionary<string, int> busy)
    {
        if (busy.Count == 0)
        {
            return "{}";
        }

        var text = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(text))
        {
            writer.WriteStartObject();
            foreach (var (key, count) in busy)
            {
                writer.WriteNumber(StoredText.Write(key), count);
            }

            writer.WriteEndObject();
        }

        return Encoding.UTF8.GetString(text.WrittenSpan);
    }

    private void Read(NpgsqlDataReader reader)
    {
        var request = _requests[reader.GetInt32(0) - 1];
        var key = reader.IsDBNull(1) ? null : reader.GetString(1);
        if (_request != request || _key != key)
        {
            EndKey();
            (_request, _key) = (request, key);
            if (key is null)
            {
                if (request.Keys is null)
                {
                    request.Level.End(isRound: reader.GetBoolean(3));
                }
            }
            else
            {
                _into = request.Keys is null ? request.Level.Add(key, reader.GetBoolean(2)) : request.Level.Find(key)!;
                (_asked, _low) = (reader.GetInt32(4), reader.GetInt64(5));
            }
        }
        else if (key is null && request.Keys is null)
        {
            // The end of all keys, and the end of the round behind it.
            request.Level.End(isRound: reader.GetBoolean(3));
        }

        if (!reader.IsDBNull(6))
        {
            _rows.Add((reader.GetGuid(6), reader.GetInt64(7)));
        }
    }

    private void EndKey()
    {
        _into?.Add(_rows, _asked, _low);
        _into = null;
        _rows.Clear();
    }
}
