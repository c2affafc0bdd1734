using Npgsql;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Claiming;

public sealed class KeyOrderTests(PostgreSqlServer server) : ClaimingTable(server)
{
    [Fact]
    public async Task Keys_have_the_order_of_the_database()
    {
        string[] some = ["", "a", "a\u0001", "a\0", "ab", "b", "é", "\uD7FF", "\uE000", "\uFFFD", "\uFFFF", "🌊", "\U0010FFFF", "\uD800", "a\uDC00", "🌊a", "\uE000a"];
        var keys = some.Select(StoredText.Write).ToArray();
        await using var connection = await Database.OpenAsync(Stop);
        await using var command = new NpgsqlCommand("SELECT key FROM unnest($1) AS key ORDER BY key COLLATE \"C\"", connection) { Parameters = { new NpgsqlParameter<string?[]> { TypedValue = keys } } };
        List<string> sorted = [];
        await using var reader = await command.ExecuteReaderAsync(Stop);
        while (await reader.ReadAsync(Stop))
        {
            sorted.Add(reader.GetString(0));
        }

        Assert.Equal(sorted, keys.Order(Comparer<string?>.Create(static (a, b) => StoredText.Compare(a!, b!))));
    }

    [Fact]
    public async Task Keys_that_are_stored_in_another_form_take_turns_as_they_were_submitted()
    {
        foreach (var key in new[] { "a\0", "\uE000", "\uD800" })
        {
            await AddAsync(StoredText.Write(key), 2);
        }

        await using var replica = await ClaimingReplica.OpenAsync(Database);
        var claim = Claim(2, Of(limits: new KindLimits(1, null)));
        await replica.ClaimAsync(Claims(claim));
        Assert.Equal(["a\0", "\uD800"], Keys(claim));
        Assert.Equal("\uD800", claim.Kinds[0].Turn.Normal);
        claim = Claim(9, Of(limits: new KindLimits(1, null), turn: claim.Kinds[0].Turn));
        await replica.ClaimAsync(Claims(claim));
        Assert.Equal(["\uE000"], Keys(claim));
    }
}
