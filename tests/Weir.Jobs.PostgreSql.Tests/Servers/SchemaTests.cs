using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;

namespace Weir.Jobs.PostgreSql.Tests.Servers;

public sealed class SchemaTests(PostgreSqlServer server)
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_schema_is_made_once_however_many_processes_begin_at_once()
    {
        await using var database = new Database(server.ConnectionString, server.NewSchema());
        var ids = await Task.WhenAll(Enumerable.Range(0, 8).Select(async _ =>
        {
            await using var connection = await database.OpenAsync(Stop);
            return await SchemaScripts.PrepareAsync(database, connection, Stop);
        }));
        Assert.Single(ids.Distinct());
        Assert.Equal("1", await server.QueryAsync($"SELECT value FROM {database.Schema}.meta WHERE name = 'version'"));
        Assert.Equal(0L, await server.QueryAsync($"SELECT {database.Schema}.demand()"));
    }

    [Theory]
    [InlineData("2")]
    [InlineData("later")]
    public async Task A_schema_of_another_version_is_refused_with_the_next_step(string version)
    {
        await using var database = new Database(server.ConnectionString, server.NewSchema());
        await using var connection = await database.OpenAsync(Stop);
        await SchemaScripts.PrepareAsync(database, connection, Stop);
        await server.ExecuteAsync($"UPDATE {database.Schema}.meta SET value = '{version}' WHERE name = 'version'");
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => SchemaScripts.PrepareAsync(database, connection, Stop));
        Assert.Contains($"has version '{version}', and this program knows 1: run the newer program that wrote it, or name another schema. See WEIR3027.", error.Message, StringComparison.Ordinal);
    }
}
