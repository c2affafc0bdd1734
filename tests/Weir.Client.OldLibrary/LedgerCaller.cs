using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Threading.Tasks;
using Weir;

/// <summary>Calls a ledger through the client that the generator writes for netstandard2.0.</summary>
public static class LedgerCaller
{
    public static async Task<string> CallAsync(HttpClient http)
    {
        var ledger = WeirClient.Create<ILedger>(http);
        var found = await ledger.Find(7, EntryKind.Credit, Marks.Checked | Marks.Closed);
        var added = await ledger.Add(
            new Entry
            {
                Number = 1,
                Text = "水門",
                Kind = EntryKind.Debit,
                Amount = 12.50m,
                Took = TimeSpan.FromMilliseconds(1500),
                At = new DateTimeOffset(2026, 1, 31, 12, 0, 0, TimeSpan.FromHours(1)),
                Id = Guid.Empty,
                Data = new byte[] { 1, 2 },
                ByName = new Dictionary<string, EntryKind> { ["a"] = EntryKind.Credit },
            },
            2);
        var items = 0;
        await foreach (var entry in ledger.All(1000))
        {
            items += entry.Number == items ? 1 : 0;
        }

        var missing = "";
        try
        {
            await ledger.Find(0, EntryKind.Debit);
        }
        catch (LedgerException error)
        {
            missing = error.Message;
        }

        return string.Join("|", found.Text, found.Kind, added.Text, added.Number, added.Kind, added.Amount, added.Took, added.At.ToString("O"), added.Data!.Length, added.ByName!["a"], items, await ledger.Sum(Numbers()), await ledger.Newer(), missing);
    }

    private static async IAsyncEnumerable<int> Numbers()
    {
        for (var i = 0; i < 10; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }
}
