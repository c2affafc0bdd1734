using System.Runtime.CompilerServices;

namespace Weir.Client.Tests.Services;

public enum LedgerKind
{
    Other,
    Debit,
    Credit,
    Later,
}

[Flags]
public enum LedgerMarks
{
    None = 0,
    Checked = 1,
    Closed = 2,
}

public sealed class LedgerException(string message) : Exception(message);

public sealed record LedgerEntry(
    int Number, string Text, LedgerKind Kind, LedgerKind? Before, decimal Amount, TimeSpan Took, DateTimeOffset At, Guid Id, byte[]? Data, Dictionary<string, LedgerKind>? ByName, bool IsAdded = true);

/// <summary>What a library for .NET Framework calls by an older contract of its own: it has fewer names and members.</summary>
[Service("Ledger")]
public sealed class Ledger
{
    [Get("{number:int}/{kind}")]
    [Throws(typeof(LedgerException), Status = 404)]
    public LedgerEntry Find(int number, LedgerKind kind, LedgerMarks marks = LedgerMarks.None) =>
        number == 0 ? throw new LedgerException("There is no entry 0.") : new LedgerEntry(number, $"{marks}", kind, null, 0, default, default, default, null, null);

    public LedgerEntry Add(LedgerEntry entry, int times) => entry with { Number = entry.Number * times };

    public async IAsyncEnumerable<LedgerEntry> All(int n, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = 0; i < n; i++)
        {
            await Task.Yield();
            yield return Find(i + 1, LedgerKind.Debit) with { Number = i };
        }
    }

    public async Task<int> Sum(IAsyncEnumerable<int> numbers, CancellationToken ct = default) => await numbers.SumAsync(ct);

    public LedgerKind Newer() => LedgerKind.Later;
}
