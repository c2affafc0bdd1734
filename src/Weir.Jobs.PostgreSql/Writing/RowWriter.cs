using System.Globalization;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Rows;

namespace Weir.Jobs.PostgreSql.Writing;

/// <summary>Writes the rows of jobs that a commit has changed: a statement for each place from which, and to which, rows go, however many those are.</summary>
internal sealed class RowWriter
{
    // What a commit may change in a row, with the types of the arrays in which it comes.
    // From what the other statements of a transaction use, and back to it (Loader.Settings).
    private const string JoinsLists = "SELECT set_config('enable_hashjoin', 'on', true), set_config('enable_nestloop', 'off', true)";
    private const string JoinsRows = "SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_nestloop', 'on', true)";

    private static readonly (string Name, string Type)[] Changing =
    [
        ("state", "smallint"), ("reason", "smallint"), ("stop", "smallint"), ("fence", "bigint"), ("open", "boolean"), ("due", "bigint"), ("starts", "int"), ("failures", "int"), ("crashes", "int"),
        ("losses", "int"), ("retries", "int"), ("refusals", "int"), ("not_understood", "bigint"), ("ready", "bigint"), ("started", "bigint"), ("ended", "bigint"), ("items", "bigint"), ("run", "int"),
        ("attempts", "int"), ("expires", "bigint"), ("progress", "double precision"), ("progress_text", "text"), ("replica", "uuid"),
    ];

    // What never changes once it is stored, or with other statements.
    private static readonly string[] Kept =
    [
        "seq", "signature", "first_due", "submitted", "fingerprint", "first_day", "priority", "unique_until", "watched", "parent", "kind", "key", "owner", "trace_parent", "trace_state", "culture", "idempotency_key",
        "arguments",
    ];

    private readonly string _schema;
    private readonly string _insert;
    private readonly Dictionary<(RowPlace From, RowPlace To), string> _moves = [];

    public RowWriter(Database database)
    {
        _schema = database.Schema;
        _insert =
            $"""
            INSERT INTO {_schema}.job (
              id, seq, signature, ready, due, first_due, expires, fence, not_understood, submitted, started, ended, items, fingerprint, run, attempts, starts, failures, crashes, losses, retries, refusals,
              first_day, state, priority, reason, stop, unique_until, open, watched, replica, parent, kind, key, owner, trace_parent, trace_state, culture, idempotency_key, arguments)
            SELECT id, seq, signature, ready, due, first_due, expires, fence, 0, submitted, started, 0, 0, fingerprint, 0, 0, starts, 0, 0, 0, 0, 0,
              {Partitions.Today}, state, priority, 0, 0, unique_until, open, false, replica, parent, kind, key, owner, trace_parent, trace_state, culture, idempotency_key, arguments
            FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::int[], $13::smallint[],
              $14::smallint[], $15::smallint[], $16::boolean[], $17::uuid[], $18::uuid[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[], $25::text[], $26::bytea[])
              AS rows(id, seq, signature, ready, due, first_due, expires, fence, submitted, started, fingerprint, starts, state, priority, unique_until, open, replica, parent, kind, key, owner, trace_parent,
              trace_state, culture, idempotency_key, arguments)
            """;
        foreach (var from in new[] { RowPlace.Open, RowPlace.Short, RowPlace.Long })
        {
            foreach (var to in new[] { RowPlace.Open, RowPlace.Short, RowPlace.Long })
            {
                _moves.Add((from, to), from == RowPlace.Open && to == RowPlace.Open ? Update() : Move(from, to));
            }
        }
    }

    /// <summary>The table of a place.</summary>
    public string Table(RowPlace place) => place switch { RowPlace.Short => $"{_schema}.done_short", RowPlace.Long => $"{_schema}.done_long", _ => $"{_schema}.job" };

    /// <summary>Adds what writes all rows of a commit.</summary>
    public void Write(Pipeline pipeline, WorkUnit unit)
    {
        if (unit.NewRows.Count > 0)
        {
            Insert(pipeline, unit.NewRows);
        }

        foreach (var place in unit.Rows.Values.Where(static row => row.Place != RowPlace.New && (row.IsChanged || row.IsGone)).GroupBy(static row => row.Place))
        {
            Edit(pipeline, place.Key, [.. place.Where(static row => row is { IsEdited: true, IsGone: false })]);
            foreach (var target in place.Where(static row => !row.IsGone).GroupBy(static row => row.Target))
            {
                Change(pipeline, place.Key, target.Key, [.. target]);
            }

            Delete(pipeline, place.Key, [.. place.Where(static row => row.IsGone).Select(static row => row.Id)]);
        }

        Append(pipeline, unit);
    }

    private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);

    // $1 has the ids, then come the columns.
    private static string Rows()
    {
        var types = Changing.Select(static (column, index) => $"${Number(index + 2)}::{column.Type}[]");
        var next = Changing.Length + 2;
        return $"unnest($1::uuid[], {string.Join(", ", types)}, ${Number(next)}::bytea[], ${Number(next + 1)}::bytea[], ${Number(next + 2)}::boolean[]) "
            + $"AS u(id, {string.Join(", ", Changing.Select(static column => column.Name))}, failure, result, again)";
    }

    private string Update() =>
        $"UPDATE {_schema}.job AS old SET {string.Join(", ", Changing.Select(static column => $"{column.Name} = u.{column.Name}"))}, failure = coalesce(u.failure, old.failure) FROM {Rows()} WHERE old.id = u.id AND old.id = ANY($1)";

    // Rows are found by the list of ids, and what they become is joined to those: no plan reads the whole table, whatever the planner believes of its size.
    private string Move(RowPlace from, RowPlace to)
    {
        var (names, values) = ("", "");
        if (to != RowPlace.Open)
        {
            names = ", result, ended_day";
            values = from == RowPlace.Open
                ? $", u.result, {Partitions.Today}"
                : $", CASE WHEN u.result IS NOT NULL THEN u.result WHEN NOT u.again THEN gone.result END, CASE WHEN u.ended = gone.ended THEN gone.ended_day ELSE {Partitions.Today} END";
        }

        return
            $"""
            WITH u AS (SELECT * FROM {Rows()}), gone AS (DELETE FROM {Table(from)} AS old WHERE old.id = ANY($1) RETURNING old.*)
            INSERT INTO {Table(to)} (id, {string.Join(", ", Kept)}, {string.Join(", ", Changing.Select(static column => column.Name))}, failure{names})
            SELECT u.id, {string.Join(", ", Kept.Select(static column => $"gone.{column}"))}, {string.Join(", ", Changing.Select(static column => $"u.{column.Name}"))}, coalesce(u.failure, gone.failure){values}
            FROM gone JOIN u ON u.id = gone.id
            """;
    }

    private void Insert(Pipeline pipeline, List<JobRow> rows) => pipeline.Add(_insert)
        .With(Array(rows, static row => row.Id))
        .With(Array(rows, static row => row.Seq))
        .With(Array(rows, static row => (long)row.Call!.Signature))
        .With(Array(rows, static row => row.Ready))
        .With(Array(rows, static row => row.Status.Due.UtcTicks))
        .With(Array(rows, static row => row.Call!.Due.UtcTicks))
        .With(Array(rows, static row => row.Expires))
        .With(Array(rows, static row => row.Status.Fence))
        .With(Array(rows, static row => row.Call!.Submitted.UtcTicks))
        .With(Array(rows, static row => row.Started))
        .With(Array(rows, static row => (long)row.Fingerprint))
        .With(Array(rows, static row => row.Status.Starts))
        .With(Array(rows, static row => (short)row.Status.State))
        .With(Array(rows, static row => (short)row.Call!.Priority))
        .With(Array(rows, static row => (short)row.UniqueUntil))
        .With(Array(rows, static row => row.Status.IsOpen))
        .With(Array(rows, static row => row.Replica))
        .With(Array(rows, static row => row.Call!.Parent))
        .With(Array(rows, static row => StoredText.Write(row.Kind)))
        .With(Array(rows, static row => StoredText.Write(row.Key)))
        .With(Array(rows, static row => StoredText.Write(row.Owner)))
        .With(Array(rows, static row => StoredText.Write(row.Call!.TraceParent)))
        .With(Array(rows, static row => StoredText.Write(row.Call!.TraceState)))
        .With(Array(rows, static row => StoredText.Write(row.Call!.Culture)))
        .With(Array(rows, static row => StoredText.Write(row.IdempotencyKey)))
        .With(Array(rows, static row => row.Call!.Arguments));

    private void Change(Pipeline pipeline, RowPlace from, RowPlace to, List<JobRow> rows)
    {
        // Rows that are moved are joined as two lists, of which a nested loop compares each with each.
        var isMove = (from, to) != (RowPlace.Open, RowPlace.Open);
        if (isMove)
        {
            pipeline.Query(JoinsLists, static _ => { });
        }

        pipeline.Add(_moves[(from, to)])
            .With(Array(rows, static row => row.Id))
            .With(Array(rows, static row => (short)row.Status.State))
            .With(Array(rows, static row => (short)row.Status.Reason))
            .With(Array(rows, static row => (short)row.Status.Stop))
            .With(Array(rows, static row => row.Status.Fence))
            .With(Array(rows, static row => row.Status.IsOpen))
            .With(Array(rows, static row => row.Status.Due.UtcTicks))
            .With(Array(rows, static row => row.Status.Starts))
            .With(Array(rows, static row => row.Status.Failures))
            .With(Array(rows, static row => row.Status.Crashes))
            .With(Array(rows, static row => row.Status.Losses))
            .With(Array(rows, static row => row.Status.AskedRetries))
            .With(Array(rows, static row => row.Status.Refusals))
            .With(Array(rows, static row => row.Status.NotUnderstoodSince?.UtcTicks ?? 0))
            .With(Array(rows, static row => row.Ready))
            .With(Array(rows, static row => row.Started))
            .With(Array(rows, static row => row.Ended))
            .With(Array(rows, static row => row.Items))
            .With(Array(rows, static row => row.Run))
            .With(Array(rows, static row => row.Attempts))
            .With(Array(rows, static row => row.Expires))
            .With(Array(rows, static row => row.Progress?.Fraction))
            .With(Array(rows, static row => StoredText.Write(row.Progress?.Text)))
            .With(Array(rows, static row => row.Replica))
            .With(Array(rows, static row => row.Failure))
            .With(Array(rows, static row => row.Result))
            .With(Array(rows, static row => row.BeganAgain));
        if (isMove)
        {
            pipeline.Query(JoinsRows, static _ => { });
        }
    }

    private void Edit(Pipeline pipeline, RowPlace place, List<JobRow> rows)
    {
        if (rows.Count > 0)
        {
            pipeline.Add(
                $"UPDATE {Table(place)} AS old SET arguments = u.arguments, signature = u.signature, key = u.key FROM unnest($1, $2, $3, $4) AS u(id, arguments, signature, key) WHERE old.id = u.id AND old.id = ANY($1)")
                .With(Array(rows, static row => row.Id))
                .With(Array(rows, static row => row.Arguments))
                .With(Array(rows, static row => (long)row.Signature))
                .With(Array(rows, static row => StoredText.Write(row.Key)));
        }
    }

    private void Delete(Pipeline pipeline, RowPlace place, Guid[] ids)
    {
        if (ids.Length > 0)
        {
            pipeline.Add($"DELETE FROM {Table(place)} WHERE id = ANY($1)").With(ids);
        }
    }

    private void Append(Pipeline pipeline, WorkUnit unit)
    {
        if (unit.Attempts.Count > 0)
        {
            var attempts = unit.Attempts;
            pipeline.Add(
                $"INSERT INTO {_schema}.attempt (job, number, fence, started, ended, happened, stop, failure, day) SELECT *, {Partitions.Today} FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)")
                .With(Array(attempts, static one => one.Job))
                .With(Array(attempts, static one => one.Number))
                .With(Array(attempts, static one => one.Attempt.Fence))
                .With(Array(attempts, static one => one.Attempt.Started.UtcTicks))
                .With(Array(attempts, static one => one.Attempt.Ended.UtcTicks))
                .With(Array(attempts, static one => (short)one.Attempt.Happened))
                .With(Array(attempts, static one => (short)one.Attempt.Stop))
                .With(Array(attempts, static one => one.Attempt.Failure));
        }

        if (unit.Items.Count > 0)
        {
            var items = unit.Items;
            pipeline.Add($"INSERT INTO {_schema}.item (job, number, run, data, day) SELECT *, {Partitions.Today} FROM unnest($1, $2, $3, $4)")
                .With(Array(items, static one => one.Job))
                .With(Array(items, static one => one.Number))
                .With(Array(items, static one => one.Run))
                .With(Array(items, static one => one.Data));
        }

        // What runs before the last one have brought, and all that a job which is deleted has.
        var again = unit.Rows.Values.Where(static row => row.BeganAgain || row.IsGone).ToList();
        if (again.Count > 0)
        {
            pipeline.Add($"DELETE FROM {_schema}.item USING unnest($1, $2) AS u(job, run) WHERE item.job = u.job AND item.run < u.run")
                .With(Array(again, static row => row.Id))
                .With(Array(again, static row => row.IsGone ? int.MaxValue : row.Run));
        }

        Guid[] gone = [.. again.Where(static row => row.IsGone).Select(static row => row.Id)];
        if (gone.Length > 0)
        {
            pipeline.Add($"DELETE FROM {_schema}.attempt WHERE job = ANY($1)").With(gone);
        }
    }

    private static T[] Array<TRow, T>(List<TRow> rows, Func<TRow, T> value)
    {
        var values = new T[rows.Count];
        for (var index = 0; index < values.Length; index++)
        {
            values[index] = value(rows[index]);
        }

        return values;
    }
}
