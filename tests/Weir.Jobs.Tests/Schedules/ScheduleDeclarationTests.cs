using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Weir.Jobs.Options;
using Weir.Jobs.Payloads;
using Weir.Jobs.Schedules;

namespace Weir.Jobs.Tests.Schedules;

/// <summary>Which schedules an application has by its operations and its options, and what of them refuses the start.</summary>
public sealed class ScheduleDeclarationTests
{
    private static readonly DateTimeOffset Now = new(2026, 5, 5, 12, 0, 0, TimeSpan.Zero);
    private static readonly ServiceProvider Services = new ServiceCollection().BuildServiceProvider();

    [Fact]
    public void A_schedule_of_code_has_the_name_of_its_kind()
    {
        var schedule = Assert.Single(Declare([Scheduled(new OperationSchedule { Cron = "0 3 * * *", TimeZone = "Europe/Berlin", Misfire = ScheduleMisfire.Skip, MisfireWindow = TimeSpan.FromHours(2), Overlap = ScheduleOverlap.Queue })]));
        Assert.Equal(("cleaning", "cleaning", JobScheduleSource.Code, "0 3 * * *", "Europe/Berlin"), (schedule.Name, schedule.Kind, schedule.Source, schedule.Cron, schedule.TimeZone));
        Assert.Equal((ScheduleMisfire.Skip, TimeSpan.FromHours(2), ScheduleOverlap.Queue, ""), (schedule.Misfire, schedule.MisfireWindow, schedule.Overlap, schedule.Key));
        Assert.Equal("", Json(schedule));
        Assert.Equal(new DateTimeOffset(2026, 5, 6, 1, 0, 0, TimeSpan.Zero), schedule.Occurrences!.Next(Now));
        Assert.Null(schedule.Error);
    }

    [Fact]
    public void A_schedule_of_the_configuration_has_defaults_and_stored_arguments()
    {
        var schedule = Assert.Single(Declare(null, ("Weir:Jobs:Schedules:acme:Kind", "BILL"), ("Weir:Jobs:Schedules:acme:Cron", "@daily"), ("Weir:Jobs:Schedules:acme:Arguments", """{ "tenant": "Acme" }""")));
        Assert.Equal(("acme", "bill", JobScheduleSource.Configuration, "@daily", "UTC"), (schedule.Name, schedule.Kind, schedule.Source, schedule.Cron, schedule.TimeZone));
        Assert.Equal((ScheduleMisfire.Once, TimeSpan.FromDays(1), ScheduleOverlap.Skip), (schedule.Misfire, schedule.MisfireWindow, schedule.Overlap));
        Assert.Equal("""{"tenant":"Acme","month":1}""", Json(schedule));
        Assert.Equal("Acme", schedule.Key);
        Assert.Equal("bill", schedule.Operation.Job!.Kind);
    }

    [Fact]
    public void A_schedule_with_the_name_of_a_kind_is_of_that_kind() =>
        Assert.Equal([("nightly/clean", "Nightly/Clean")], Declare(null, ("Weir:Jobs:Schedules:nightly/clean:Cron", "0 3 * * *")).Select(static schedule => (schedule.Name, schedule.Kind)));

    [Fact]
    public void The_configuration_goes_before_the_code_value_by_value()
    {
        var code = new OperationSchedule { Cron = "0 3 * * *", TimeZone = "Europe/Berlin", Misfire = ScheduleMisfire.Skip };
        var schedule = Assert.Single(Declare([Scheduled(code)], ("Weir:Jobs:Schedules:CLEANING:Cron", "0 4 * * *"), ("Weir:Jobs:Schedules:CLEANING:Overlap", "queue"), ("Weir:Jobs:Schedules:CLEANING:MisfireWindow", "00:00:00")));
        Assert.Equal(("cleaning", JobScheduleSource.Configuration, "0 4 * * *", "Europe/Berlin"), (schedule.Name, schedule.Source, schedule.Cron, schedule.TimeZone));
        Assert.Equal((ScheduleMisfire.Skip, TimeSpan.Zero, ScheduleOverlap.Queue), (schedule.Misfire, schedule.MisfireWindow, schedule.Overlap));
    }

    [Fact]
    public void A_schedule_that_is_not_enabled_is_not_declared_and_not_checked() =>
        Assert.Empty(Declare([Scheduled(new OperationSchedule { Cron = "0 3 * * *" })], ("Weir:Jobs:Schedules:cleaning:Enabled", "false"), ("Weir:Jobs:Schedules:none:Enabled", "false"), ("Weir:Jobs:Schedules:none:Cron", "never")));

    [Fact]
    public void A_schedule_that_is_enabled_and_nothing_else_stays_one_of_code() =>
        Assert.Equal(JobScheduleSource.Code, Assert.Single(Declare([Scheduled(new OperationSchedule { Cron = "0 3 * * *" })], ("Weir:Jobs:Schedules:cleaning:Enabled", "true"))).Source);

    [Fact]
    public void An_application_without_schedules_has_none() => Assert.Empty(Declare(null));

    [Theory]
    [InlineData("TimeZone", "Europe/Berlyn", "'Europe/Berlyn' is not known")]
    [InlineData("Cron", "0 0 30 2 *", "never occurs again in UTC")]
    public void A_schedule_that_cannot_be_computed_here_fails_alone(string key, string value, string named)
    {
        Dictionary<string, string?> values = new() { ["a:Kind"] = "Nightly/Clean", ["a:Cron"] = "0 3 * * *", ["b:Kind"] = "Nightly/Clean", ["b:Cron"] = "0 3 * * *", [$"a:{key}"] = value };
        var schedules = Declare(null, [.. values.Select(static pair => ($"Weir:Jobs:Schedules:{pair.Key}", pair.Value))]);
        Assert.Equal(["a", "b"], schedules.Select(static schedule => schedule.Name));
        Assert.Null(schedules[0].Occurrences);
        Assert.Contains(named, schedules[0].Error, StringComparison.Ordinal);
        Assert.NotNull(schedules[1].Occurrences);
        Assert.Null(schedules[1].Error);
    }

    [Theory]
    [InlineData("Kind", "Nightly/Clear", "Weir:Jobs:Schedules:a:Kind is 'Nightly/Clear'", "Nightly/Clean, Nightly/Merge, ")]
    [InlineData("Kind", null, "Weir:Jobs:Schedules:a:Kind is null", "Nightly/Merge")]
    [InlineData("Cron", null, "Weir:Jobs:Schedules:a:Cron is null", "as in 0 3 * * *")]
    [InlineData("Cron", "0 30 * * *", "Weir:Jobs:Schedules:a:Cron is wrong: '0 30 * * *' is no cron expression", "WEIR3002")]
    [InlineData("MisfireWindow", "366.00:00:00", "Weir:Jobs:Schedules:a:MisfireWindow is '366.00:00:00'", "zero to 365 days")]
    [InlineData("MisfireWindow", "-00:00:01", "Weir:Jobs:Schedules:a:MisfireWindow is '-00:00:01'", "zero to 365 days")]
    [InlineData("MisfireWindow", "30", "Weir:Jobs:Schedules:a:MisfireWindow is '30'", "hours:minutes:seconds")]
    [InlineData("Misfire", "All", "Weir:Jobs:Schedules:a:Misfire is 'All'", "write Once or Skip")]
    [InlineData("Overlap", "Wait", "Weir:Jobs:Schedules:a:Overlap is 'Wait'", "write Skip or Queue")]
    [InlineData("Enabled", "yes", "Weir:Jobs:Schedules:a:Enabled is 'yes'", "true or false")]
    [InlineData("Crom", "0 3 * * *", "Weir:Jobs:Schedules:a:Crom is not an option of a schedule", "nearest one is Cron")]
    [InlineData("Arguments:from", "x", "Weir:Jobs:Schedules:a:Arguments is a section", "write one value")]
    [InlineData("Arguments", "[]", "Weir:Jobs:Schedules:a:Arguments is '[]'", "a JSON object")]
    [InlineData("Arguments", "{", "Weir:Jobs:Schedules:a:Arguments is '{'", "malformed")]
    [InlineData("Arguments", """{"from":"x","first":1,"last":2,"lats":3}""", "Arguments is", "lats: unknown")]
    [InlineData("Arguments", """{"from":null,"first":"1.5"}""", "from: null, expected", "first: invalid, expected", "last: missing, expected")]
    [InlineData("Arguments", """{"from":"x","first":0,"last":13}""", "first: The field first must be between 1 and 12", "last: The field last must be between 1 and 12", "WEIR3002")]
    public void What_is_wrong_with_a_schedule_refuses_the_start_and_is_named(string key, string? value, params string[] named)
    {
        Dictionary<string, string?> valid = new() { ["Kind"] = "Nightly/Merge", ["Cron"] = "0 3 * * *", ["Arguments"] = """{"from":"x","first":1,"last":2}""" };
        if (key.StartsWith("Arguments:", StringComparison.Ordinal))
        {
            valid.Remove("Arguments");
        }

        valid[key] = value;
        var failure = Assert.Throws<InvalidOperationException>(() => Declare(null, [.. valid.Select(static pair => ($"Weir:Jobs:Schedules:a:{pair.Key}", pair.Value))]));
        Assert.All(named, name => Assert.Contains(name, failure.Message, StringComparison.Ordinal));
        Assert.EndsWith("See WEIR3002.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_key_that_is_too_long_refuses_the_start() =>
        Assert.Contains("its argument 'tenant' is the key", Refusal(jobs => (jobs.Schedule("a").Kind, jobs.Schedule("a").Cron, jobs.Schedule("a").Arguments) = ("bill", "0 3 * * *", $$"""{"tenant":"{{new string('a', 201)}}"}""")), StringComparison.Ordinal);

    [Fact]
    public void Values_of_code_that_no_enum_has_refuse_the_start()
    {
        Assert.Contains("Weir:Jobs:Schedules:Nightly/Clean:Misfire is '7'", Refusal(static jobs => (jobs.Schedule("Nightly/Clean").Cron, jobs.Schedule("Nightly/Clean").Misfire) = ("0 3 * * *", (ScheduleMisfire)7)), StringComparison.Ordinal);
        Assert.Contains("Weir:Jobs:Schedules:Nightly/Clean:Overlap is '7'", Refusal(static jobs => (jobs.Schedule("Nightly/Clean").Cron, jobs.Schedule("Nightly/Clean").Overlap) = ("0 3 * * *", (ScheduleOverlap)7)), StringComparison.Ordinal);
    }

    [Fact]
    public void More_than_1000_schedules_and_names_of_more_than_200_characters_refuse_the_start()
    {
        var options = new WeirJobsOptions();
        for (var index = 0; index < 1_000; index++)
        {
            (options.Schedule($"{index}").Kind, options.Schedule($"{index}").Cron) = ("Nightly/Clean", "H H * * *");
        }

        Assert.Equal(1_000, ScheduleDeclarations.Of(Operations, options, Services, Now).Count);
        options.Schedule("disabled").Enabled = false;
        Assert.Equal(1_000, ScheduleDeclarations.Of(Operations, options, Services, Now).Count);
        options.Schedule("one more").Kind = "Nightly/Clean";
        Assert.Contains("1001 schedules", Assert.Throws<InvalidOperationException>(() => ScheduleDeclarations.Of(Operations, options, Services, Now)).Message, StringComparison.Ordinal);
        Assert.Contains("201 characters", Refusal(static jobs => jobs.Schedule(new string('a', 201)).Kind = "Nightly/Clean"), StringComparison.Ordinal);
    }

    [Fact]
    public void The_schedule_of_an_attribute_has_the_name_of_its_kind_and_what_was_written()
    {
        var yearly = Assert.Single(Declare(All));
        Assert.Equal(("Controlled/Yearly", "Controlled/Yearly", JobScheduleSource.Code), (yearly.Name, yearly.Kind, yearly.Source));
        Assert.Equal(("0 3 1 1 *", "Europe/Berlin", ScheduleMisfire.Once, TimeSpan.FromDays(1), ScheduleOverlap.Skip), (yearly.Cron, yearly.TimeZone, yearly.Misfire, yearly.MisfireWindow, yearly.Overlap));
        var changed = Assert.Single(Declare(All, ("Weir:Jobs:Schedules:controlled/yearly:Cron", "0 4 1 1 *")));
        Assert.Equal(("Controlled/Yearly", "0 4 1 1 *", "Europe/Berlin", JobScheduleSource.Configuration), (changed.Name, changed.Cron, changed.TimeZone, changed.Source));
        Assert.Empty(Declare(All, ("Weir:Jobs:Schedules:Controlled/Yearly:Enabled", "false")));
    }

    [Fact]
    public void Options_of_a_schedule_are_set_by_the_configuration_and_then_by_code()
    {
        var options = JobsConfiguration.Create(
            Configuration(
                ("Weir:Jobs:Schedules:a:Kind", "k"), ("Weir:Jobs:Schedules:a:Cron", "c"), ("Weir:Jobs:Schedules:a:TimeZone", "z"), ("Weir:Jobs:Schedules:a:Arguments", "{}"), ("Weir:Jobs:Schedules:a:Misfire", "skip"),
                ("Weir:Jobs:Schedules:a:MisfireWindow", "02:00:00"), ("Weir:Jobs:Schedules:a:Overlap", "Queue"), ("Weir:Jobs:Schedules:a:Enabled", "false"), ("Weir:Jobs:Schedules:b:Cron", ""), ("Weir:Jobs:Schedules:b:Misfire", "")),
            [new JobsConfiguration(static jobs => jobs.Schedule("A").TimeZone = "y")]);
        var a = options.Schedules["a"];
        Assert.Equal(("k", "c", "y", "{}"), (a.Kind, a.Cron, a.TimeZone, a.Arguments));
        Assert.Equal((ScheduleMisfire.Skip, TimeSpan.FromHours(2), ScheduleOverlap.Queue, false), (a.Misfire, a.MisfireWindow, a.Overlap, a.Enabled));
        var b = options.Schedules["b"];
        Assert.Equal((null, null, true, false), (b.Cron, b.Misfire, b.Enabled, b.HasValue));
    }

    // Those without a schedule of their own.
    private static IEnumerable<Operation> Operations => All.Where(static operation => operation.Job is { Schedule: null });

    private static IEnumerable<Operation> All => Generated.Weir_Jobs_Tests.Catalog.Instance.Services.SelectMany(static service => service.Operations).Where(static operation => operation.Job is not null);

    private static Operation Scheduled(OperationSchedule schedule)
    {
        var clean = Operations.Single(static operation => operation.FullName == "Nightly/Clean");
        return new Operation { Name = "Cleaning", Verbs = clean.Verbs, Signature = clean.Signature, CreateCall = clean.CreateCall, Job = new OperationJob { Kind = "cleaning", Schedule = schedule } };
    }

    private static IReadOnlyList<DeclaredSchedule> Declare(IEnumerable<Operation>? operations, params (string Key, string? Value)[] configuration) =>
        ScheduleDeclarations.Of(operations ?? Operations, JobsConfiguration.Create(Configuration(configuration), []), Services, Now);

    private static string Refusal(Action<WeirJobsOptions> configure) =>
        Assert.Throws<InvalidOperationException>(() => ScheduleDeclarations.Of(Operations, JobsConfiguration.Create(null, [new JobsConfiguration(configure)]), Services, Now)).Message;

    private static IConfiguration Configuration(params (string Key, string? Value)[] values) =>
        new ConfigurationBuilder().AddInMemoryCollection(values.Select(static value => KeyValuePair.Create(value.Key, value.Value))).Build();

    private static string Json(DeclaredSchedule schedule) => System.Text.Encoding.UTF8.GetString(StoredArguments.Read(schedule.Arguments).Json.Span);
}
