using System.Text.Json;
using Weir.Cli.Clients.TypeScript;
using Weir.Cli.Contracts;
using Weir.TypeScript.Tests.Application;
using Xunit;

namespace Weir.TypeScript.Tests;

/// <summary>Jobs by the client that <c>weir client</c> writes.</summary>
public sealed class JobTests
{
    // The client of a server and the program that uses it, for all tests.
    private static readonly Lazy<Task<string>> Program = new(static async () =>
    {
        await using var reports = await RunningReports.StartAsync();
        var folder = await Toolchain.WriteAsync("reports", reports.Address, "reports.ts");
        await Toolchain.CompileAsync(folder, "reports.ts");
        return folder;
    });

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Every_answer_to_a_request_for_a_job_becomes_what_its_type_says()
    {
        var folder = await Toolchain.WriteAsync("jobs", typeof(Reports).Assembly.Location, "jobs.ts");
        await Toolchain.CompileAsync(folder, "jobs.ts");
        Assert.Equal("done\n", await Toolchain.NodeAsync(folder, "jobs.js"));
    }

    [Theory]
    [InlineData("calls")]
    [InlineData("cuts")]
    public async Task Jobs_of_a_running_service_are_used_from_Node(string how)
    {
        await using var reports = await RunningReports.StartAsync();
        Assert.Equal("done\n", await Toolchain.NodeAsync(await Program.Value, "reports.js", reports.Address, how));
    }

    [Fact]
    [Trait("Kind", "Long")]
    public async Task A_million_items_come_once_each_while_the_connection_is_cut_a_thousand_times()
    {
        await using var reports = await RunningReports.StartAsync();
        Assert.Equal("done\n", await Toolchain.NodeAsync(await Program.Value, "reports.js", reports.Address, "many", "1000"));
    }

    [Fact]
    public async Task Items_continue_without_a_gap_or_a_repeat_when_the_host_is_replaced()
    {
        var store = Directory.CreateTempSubdirectory("weir-jobs-").FullName;
        try
        {
            var first = await RunningReports.StartAsync(Path.Combine(store, "jobs.db"));
            var address = first.Address;
            Task<string> running;
            await using (first)
            {
                running = Toolchain.NodeAsync(await Program.Value, "reports.js", address, "hosts");
                while (await first.Jobs.ListAsync(cancellationToken: Cancel) is not [{ Items: > 20 }])
                {
                    Assert.False(running.IsCompleted, "It ended before the host was replaced.");
                    await Task.Delay(10, Cancel);
                }
            }

            await using var second = await RunningReports.StartAsync(Path.Combine(store, "jobs.db"), address);
            Assert.Equal("done\n", await running);
        }
        finally
        {
            Directory.Delete(store, recursive: true);
        }
    }

    [Fact]
    public async Task A_client_without_jobs_has_nothing_of_them()
    {
        var contracts = AssemblyContracts.Read("tests", typeof(Reports).Assembly.Location).Select(static one => ContractReader.Read(JsonElement.Parse(one))).ToList();
        Assert.Equal(["Reports"], contracts.Where(static one => one.HasJobs).Select(static one => one.Name));
        var text = TypeScriptClient.Write([.. contracts.Where(static one => !one.HasJobs)]);
        Assert.DoesNotContain("WeirJob", text, StringComparison.Ordinal);
        Assert.DoesNotContain("jobs", text, StringComparison.Ordinal);
        var folder = await Toolchain.WriteAsync("no-jobs", typeof(Reports).Assembly.Location);
        await File.WriteAllTextAsync(Path.Combine(folder, "client.ts"), text, Cancel);
        await Toolchain.CompileAsync(folder);
    }
}
