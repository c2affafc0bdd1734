using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Reading;

/// <summary>Reads one job.</summary>
internal sealed class JobReader
{
    private readonly ReadTransactions _transactions;
    private readonly Blobs _blobs;
    private readonly RecordReader _records;
    private readonly Statement _seq;
    private readonly Statement _record;
    private readonly Statement _call;

    public JobReader(Connection connection, ReadTransactions transactions, Kinds kinds, Blobs blobs)
    {
        (_transactions, _blobs) = (transactions, blobs);
        _records = new RecordReader(connection, kinds, blobs);
        _seq = connection.Prepare("SELECT seq FROM job WHERE id = ?1");
        _record = connection.Prepare($"SELECT {RecordReader.Columns} FROM job WHERE seq = ?1");
        _call = connection.Prepare(
            $"SELECT {RecordReader.Columns}, arguments, arguments_blob, arguments_size, arguments_check, idempotency_key, fingerprint, unique_until FROM job WHERE id = ?1");
    }

    public JobRecord? Find(Guid id)
    {
        using var transaction = _transactions.Begin();
        return Seq(id) is { } seq ? Record(seq) : null;
    }

    public NewJob? FindCall(Guid id)
    {
        using var transaction = _transactions.Begin();
        using (_call.Bind(1, id).Use())
        {
            if (!_call.Step())
            {
                return null;
            }

            var record = _records.Read(_call);
            return new NewJob
            {
                Id = id,
                Kind = record.Kind,
                Signature = record.Signature,
                Arguments = ReadArguments(_call.Long(0)),
                Submitted = record.Submitted,
                Due = record.ScheduledFor,
                Expires = record.Expires,
                Priority = record.Priority,
                Key = record.Key,
                Owner = record.Owner,
                Parent = record.Parent,
                TraceParent = record.TraceParent,
                TraceState = record.TraceState,
                Culture = record.Culture,
                IdempotencyKey = _call.Text(RecordReader.Width + 4),
                Fingerprint = (ulong)_call.Long(RecordReader.Width + 5),
                UniqueUntil = (JobUniqueness)_call.Int(RecordReader.Width + 6),
            };
        }
    }

    /// <summary>The place of a job in the order of submission.</summary>
    public long? Seq(Guid id)
    {
        using (_seq.Bind(1, id).Use())
        {
            return _seq.Step() ? _seq.Long(0) : null;
        }
    }

    /// <summary>The job of a place.</summary>
    public JobRecord? Record(long seq)
    {
        using (_record.Bind(1, seq).Use())
        {
            return _record.Step() ? _records.Read(_record) : null;
        }
    }

    private byte[] ReadArguments(long seq)
    {
        const int Arguments = RecordReader.Width;
        return _blobs.Read(_call, Arguments, new StoredBytes(_call.Long(Arguments + 1), _call.Int(Arguments + 2), (uint)_call.Long(Arguments + 3)), seq) ?? throw new DamagedRowException("arguments", seq);
    }
}
