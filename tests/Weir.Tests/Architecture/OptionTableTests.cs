using Weir.AspNetCore.Options;
using Weir.Execution;
using Weir.Execution.Lanes;
using Weir.Execution.Observation;
using Weir.Execution.Pools.Options;
using Weir.Jobs.Options;

namespace Weir.Tests.Architecture;

/// <summary>The tables of options in the guide agree with the classes, and every option has a key in the configuration.</summary>
public sealed class OptionTableTests
{
    private static readonly string Guide = Repository.Read("docs/guide/pools.md");
    private static readonly string Serving = Repository.Read("docs/guide/serving.md");

    [Fact]
    public void The_guide_has_every_option_of_a_pool_with_its_default() =>
        Expect.NoFault(new OptionTable(Guide, "## Options of a pool").Faults(
            new PoolOptions(),
            ("MaxWorkers", "processors available", Environment.ProcessorCount),
            ("QueueLimit", "10 × `MaxWorkers`", 10 * Environment.ProcessorCount)));

    [Fact]
    public void The_guide_has_every_option_of_the_lane_with_its_default() =>
        Expect.NoFault(new OptionTable(Guide, "## Options of the lane").Faults(new LaneOptions()));

    [Fact]
    public void The_guide_has_every_option_of_recording_with_its_default() =>
        Expect.NoFault(new OptionTable(Guide, "## Options of recording").Faults(new RecordingOptions()));

    [Fact]
    public void The_guide_has_every_option_of_the_application_with_its_default() =>
        Expect.NoFault(new OptionTable(Guide, "## Options of the application").Faults(new WeirOptions()));

    [Fact]
    public void The_guide_has_every_option_of_the_server_with_its_default() =>
        Expect.NoFault(new OptionTable(Serving, "## Options of the server").Faults(new WeirServerOptions()));

    [Fact]
    public void The_guide_has_every_option_of_jobs_with_its_default() =>
        Expect.NoFault(new OptionTable(Repository.Read("docs/guide/jobs.md"), "## Options of jobs").Faults(
            new WeirJobsOptions(),
            ("Retention", "24 h", TimeSpan.FromHours(24)),
            ("FailedRetention", "14 days", TimeSpan.FromDays(14)),
            ("MaxKeptBytes", "10 GB", 10L << 30)));

    // What is not set is what [Schedule] says, whose defaults are in the table.
    [Fact]
    public void The_guide_has_every_option_of_a_schedule_with_its_default()
    {
        var attribute = new ScheduleAttribute("@daily");
        Assert.Equal(("UTC", ScheduleMisfire.Once, "1.00:00:00", ScheduleOverlap.Skip), (attribute.TimeZone, attribute.Misfire, attribute.MisfireWindow, attribute.Overlap));
        var faults = new OptionTable(Repository.Read("docs/guide/schedules.md"), "## Options of a schedule").Faults(
            new JobScheduleOptions(),
            ("Kind", "the kind with the schedule's name", null),
            ("Cron", "what `[Schedule]` says", null),
            ("TimeZone", "`UTC`", null),
            ("Misfire", "`Once`", null),
            ("MisfireWindow", "1 day", null),
            ("Overlap", "`Skip`", null));
        Expect.NoFault(faults);
    }

    [Fact]
    public void Every_option_has_a_key_in_the_configuration()
    {
        Assert.Equal(Options<PoolOptions>("OnCrash"), PoolKeys.All.Names.Order());
        Assert.Equal(Options<LaneOptions>(), LaneKeys.All.Names.Order());
        Assert.Equal(Options<RecordingOptions>(), RecordingKeys.All.Names.Order());
        Assert.Equal(Options<WeirOptions>("Filters", "InlineServices").Append("Pools").Order(), WeirKeys.Names.Order());
        Assert.Equal(Options<WeirServerOptions>(), WeirServerKeys.Section.Keys.Order());
        Assert.Equal(Options<WeirJobsOptions>().Append("Kinds").Append("Schedules").Order(), JobsKeys.Section.Keys.Order());
        Assert.Equal(Options<JobScheduleOptions>(), JobsKeys.ScheduleKeys.Order());
    }

    [Theory]
    [InlineData("| `A` | 6 | |", "A is '5' by default, the table says '6'")]
    [InlineData("| `B` | 5 | |", "A is not in the table", "B is in the table and is no option")]
    [InlineData("| `A` | 5 | |")]
    public void A_table_with_a_wrong_default_is_found(string row, params string[] faults)
    {
        var table = new OptionTable($"# Page\n\n## Options\n\nText.\n\n| Option | Default | Range |\n|---|---|---|\n{row}\n\nText.\n\n| `C` | 1 | |\n", "## Options");
        Assert.Equal(1, table.Count);
        Assert.Equal(faults, table.Faults(new Sample()));
    }

    [Fact]
    public void A_derived_default_is_compared_by_its_value()
    {
        var table = new OptionTable("## Options\n| Option | Default |\n|---|---|\n| `A` | half of ten |\n", "## Options");
        Assert.Empty(table.Faults(new Sample(), ("A", "half of ten", 5)));
        Assert.Single(table.Faults(new Sample(), ("A", "half of ten", 4)));
    }

    private static IEnumerable<string> Options<T>(params string[] codeOnly) =>
        typeof(T).GetProperties().Select(property => property.Name).Except(codeOnly).Order();

    private sealed class Sample
    {
        public int A { get; } = 5;
    }
}
