using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Weir;

internal enum EntryKind
{
    [EnumFallback]
    Other,
    Debit,
    Credit,
}

[Flags]
internal enum Marks
{
    None = 0,
    Checked = 1,
    Closed = 2,
}

internal sealed class LedgerException : Exception
{
    public LedgerException(string message)
        : base(message)
    {
    }
}

internal sealed class Entry
{
    public int Number { get; set; }

    public string Text { get; set; } = "";

    public EntryKind Kind { get; set; }

    public EntryKind? Before { get; set; }

    public decimal Amount { get; set; }

    public TimeSpan Took { get; set; }

    public DateTimeOffset At { get; set; }

    public Guid Id { get; set; }

    public byte[]? Data { get; set; }

    public Dictionary<string, EntryKind>? ByName { get; set; }
}

/// <summary>Internal: only the client of this assembly is made of it.</summary>
[Service("Ledger")]
internal interface ILedger
{
    [Get("{number:int}/{kind}")]
    [Throws(typeof(LedgerException), Status = 404)]
    Task<Entry> Find(int number, EntryKind kind, Marks marks = Marks.None, CancellationToken ct = default);

    Task<Entry> Add(Entry entry, int times, CancellationToken ct = default);

    IAsyncEnumerable<Entry> All(int n, CancellationToken ct = default);

    Task<int> Sum(IAsyncEnumerable<int> numbers, CancellationToken ct = default);

    Task<EntryKind> Newer(CancellationToken ct = default);
}
