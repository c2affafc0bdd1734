using System.Globalization;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

/// <summary>The tables that a version makes are in a file, which never changes after its release.</summary>
public sealed class SchemaGoldenTests(PostgreSqlServer server)
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_new_schema_has_the_tables_of_its_released_version()
    {
        var schema = server.NewSchema() + "_released";
        await using (var store = new PostgreSqlJobStore(
            new Database(server.ConnectionString, schema), new PostgreSqlJobsOptions { Schema = schema }, new RetentionTimes(null, null), TimeProvider.System))
        {
            await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), Stop);
        }

        var file = string.Create(CultureInfo.InvariantCulture, $"schema-{SchemaScripts.Version}.txt");
        var released = await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, file), Stop);
        var made = await SchemaDump.OfAsync(server.ConnectionString, schema, Stop);
        if (released != made)
        {
            var found = Path.Combine(AppContext.BaseDirectory, "found-" + file);
            await File.WriteAllTextAsync(found, made, Stop);
            Assert.Fail(
                $"A new schema is not what tests/Weir.Jobs.PostgreSql.Tests/Storage/{file} says: {FirstDifference(released, made)}. Applications have tables of version {SchemaScripts.Version}, which no change of its script reaches: "
                + $"leave the script as it is, add one to SchemaScripts, raise SchemaScripts.Version, and add a file for it. All that was found is in {found}.");
        }
    }

    private static string FirstDifference(string released, string made)
    {
        var (before, after) = (released.Split('\n'), made.Split('\n'));
        var line = before.Zip(after).TakeWhile(static pair => pair.First == pair.Second).Count();
        return $"line {line + 1} is '{after.ElementAtOrDefault(line)}', and was '{before.ElementAtOrDefault(line)}'";
    }
}
