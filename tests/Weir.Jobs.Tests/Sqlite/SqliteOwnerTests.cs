using System.Diagnostics;
using System.Globalization;
using Weir.Jobs.Sqlite;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Sqlite;

/// <summary>One process owns a file of jobs.</summary>
public sealed class SqliteOwnerTests : SqliteFixture
{
    [Fact]
    public async Task A_second_store_is_refused_with_the_process_that_has_the_file()
    {
        await using var first = await OpenAsync();
        var message = await RefusalAsync(New(TimeSpan.Zero));
        Assert.StartsWith("WEIR3026", message, StringComparison.Ordinal);
        Assert.Contains(Environment.ProcessId.ToString(CultureInfo.InvariantCulture), message, StringComparison.Ordinal);
        Assert.Contains(Files.File, message, StringComparison.Ordinal);
        Assert.Contains("a file of its own", message, StringComparison.Ordinal);

        // It has lost nothing by it.
        await AcceptAsync(first, Job());
        Assert.Single((await ClaimAsync(first, 2)).Jobs);
    }

    [Fact]
    public async Task Two_names_of_one_file_have_one_owner()
    {
        await using var first = await OpenAsync();
        using var other = new StoreDirectory();
        File.CreateSymbolicLink(other.File, Files.File);
        Assert.StartsWith("WEIR3026", await RefusalAsync(new SqliteJobStore(other.File, TimeSpan.Zero, TimeProvider.System)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_second_store_waits_and_takes_over()
    {
        var first = await OpenAsync();
        var job = await AcceptAsync(first, Job(starts: true));
        await using var second = New(TimeSpan.FromSeconds(30));
        var opening = second.OpenAsync(new JobReplica(NextId(), []), Stop).AsTask();
        await Task.Delay(250, Stop);
        Assert.False(opening.IsCompleted);
        await first.DisposeAsync();
        Assert.Equal([job.Id], (await opening).Lost.Select(static lost => lost.Id));
    }

    [Fact]
    public async Task The_wait_for_the_file_ends_with_its_time()
    {
        await using var first = await OpenAsync();
        var began = Stopwatch.GetTimestamp();
        await RefusalAsync(New(TimeSpan.FromMilliseconds(300)));
        Assert.True(Stopwatch.GetElapsedTime(began) >= TimeSpan.FromMilliseconds(300));
    }

    [Fact]
    public async Task The_wait_for_the_file_can_be_cancelled()
    {
        await using var first = await OpenAsync();
        await using var second = New(TimeSpan.FromHours(1));
        using var source = new CancellationTokenSource(TimeSpan.FromMilliseconds(150));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await second.OpenAsync(new JobReplica(NextId(), []), source.Token));
    }

    [Fact]
    public async Task The_file_of_the_owner_says_process_machine_and_start_until_the_end()
    {
        var store = await OpenAsync();
        var words = ReadOwner().TrimEnd().Split(' ');
        Assert.Equal(3, words.Length);
        Assert.Equal((Environment.ProcessId.ToString(CultureInfo.InvariantCulture), Environment.MachineName), (words[0], words[1]));
        Assert.Equal(DateTimeKind.Utc, DateTime.Parse(words[2], CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind).Kind);
        await store.DisposeAsync();
        Assert.Equal(0, new FileInfo(Files.File + "-owner").Length);
    }

    [Fact]
    public async Task A_store_that_could_not_be_opened_leaves_the_file_to_another()
    {
        Execute("CREATE TABLE other (a)");
        await RefusalAsync();
        Assert.StartsWith("WEIR3027", await RefusalAsync(), StringComparison.Ordinal);
    }

    // .NET's own files take the same lock, so the text is read as another program would.
    private string ReadOwner()
    {
        using var cat = Process.Start(new ProcessStartInfo("cat", [Files.File + "-owner"]) { RedirectStandardOutput = true })!;
        return cat.StandardOutput.ReadToEnd();
    }
}
