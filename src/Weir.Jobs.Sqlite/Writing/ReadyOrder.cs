using System.Globalization;
using Weir.Jobs.Sqlite.Rows;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>
/// Numbers for jobs that become ready, each larger than all before, those of earlier processes included. What is stored is a number that none has reached, so that one write is enough for a million.
/// The writer only.
/// </summary>
internal sealed class ReadyOrder(MetaTable meta)
{
    private const string Name = "ready";
    private const long Block = 1_000_000;

    private readonly MetaTable _meta = meta;
    private long _last = Read(meta);
    private long _stored = Read(meta);
    private long _committed = Read(meta);

    public long Next()
    {
        if (++_last > _stored)
        {
            _stored = _last + Block;
            _meta.Set(Name, _stored.ToString(CultureInfo.InvariantCulture));
        }

        return _last;
    }

    /// <summary>The transaction was committed.</summary>
    public void Commit() => _committed = _stored;

    /// <summary>The transaction was rolled back.</summary>
    public void RollBack() => _stored = _committed;

    private static long Read(MetaTable meta) => meta.Get(Name) is { } stored ? long.Parse(stored, CultureInfo.InvariantCulture) : 0;
}
