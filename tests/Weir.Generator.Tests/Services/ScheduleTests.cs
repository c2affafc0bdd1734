using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>What the generator writes of <c>[Schedule]</c> and of limits over all processes.</summary>
public sealed class ScheduleTests
{
    private const string Head = "using Weir; namespace Sample; ";

    private const string Values = "Job(MaxPerKey = 2, MaxTotal = 5), Schedule(\"0 30 3 * * MON-FRI\", TimeZone = \"Europe/Berlin\", Misfire = ScheduleMisfire.Skip, MisfireWindow = \"02:00:00\", Overlap = ScheduleOverlap.Queue)";

    private static readonly OperationJob All = new()
    {
        MaxPerKey = 2,
        MaxTotal = 5,
        Schedule = new OperationSchedule { Cron = "0 30 3 * * MON-FRI", TimeZone = "Europe/Berlin", Misfire = ScheduleMisfire.Skip, MisfireWindow = TimeSpan.FromHours(2), Overlap = ScheduleOverlap.Queue },
    };

    [Fact]
    public void A_class_says_all_values_of_its_schedule() =>
        Assert.Equal(All, Job($"[Service] public class S {{ [{Values}] public void M(OperationContext context, int rows = 5, string? customer = null, CancellationToken token = default) {{ }} }}"));

    [Fact]
    public void An_interface_says_all_values_of_the_schedule_of_the_class_that_implements_it() =>
        Assert.Equal(All, Job($"[Service(\"S\")] public interface IFoo {{ [{Values}] Task M(int rows = 5); }} [Service] public class Foo : IFoo {{ public Task M(int rows) => Task.CompletedTask; }}"));

    [Fact]
    public void An_interface_says_all_values_of_the_schedule_of_a_worker_in_another_language() =>
        Assert.Equal(All, Job($"[Service(\"S\"), Isolated] public interface IFoo {{ [{Values}] Task M(int rows = 5); }}"));

    [Fact]
    public void A_method_that_overrides_one_has_its_schedule() =>
        Assert.Equal(All, Job($"public abstract class Base {{ [{Values}] public virtual void M() {{ }} }} [Service] public class S : Base {{ public override void M() {{ }} }}"));

    [Theory]
    [InlineData("Job, Schedule(\"0 3 * * *\")")]
    [InlineData("Job(MaxPerKey = 0, MaxTotal = 0), Schedule(\"0 3 * * *\", TimeZone = \"UTC\", Misfire = ScheduleMisfire.Once, MisfireWindow = \"1.00:00:00\", Overlap = ScheduleOverlap.Skip)")]
    public void What_is_the_default_is_not_written(string attributes)
    {
        var source = Source($"[{attributes}] public void M() {{ }}");
        Assert.Contains("Job = new global::Weir.OperationJob { Schedule = new global::Weir.OperationSchedule { Cron = \"0 3 * * *\" } },", Text(source), StringComparison.Ordinal);
        Assert.Equal(new OperationJob { Schedule = new OperationSchedule { Cron = "0 3 * * *" } }, Job(source));
    }

    [Fact]
    public void What_is_not_the_default_is_written_by_name() =>
        Assert.Contains(
            "Job = new global::Weir.OperationJob { MaxPerKey = 2, MaxTotal = 5, Schedule = new global::Weir.OperationSchedule { Cron = \"0 30 3 * * MON-FRI\", TimeZone = \"Europe/Berlin\", Misfire = global::Weir.ScheduleMisfire.Skip, MisfireWindow = new global::System.TimeSpan(72000000000L), Overlap = global::Weir.ScheduleOverlap.Queue } },",
            Text(Source($"[{Values}] public void M() {{ }}")), StringComparison.Ordinal);

    [Theory]
    [InlineData("[Job(MaxPerKey = 3, MaxTotal = 3)]", 3, 3)]
    [InlineData("[Job(MaxPerKey = 3)]", 3, null)]
    [InlineData("[Job(MaxTotal = 1)]", null, 1)]
    [InlineData("[Job(MaxPerKey = 1, Key = \"customer\")]", 1, null)]
    public void A_limit_of_all_processes_stands_alone_or_beside_the_other(string attribute, int? perKey, int? total)
    {
        var job = Job(Source($"{attribute} public void M(string customer) {{ }}"))!;
        Assert.Equal((perKey, total), (job.MaxPerKey, job.MaxTotal));
        Assert.Null(job.Schedule);
    }

    [Theory]
    [InlineData("[Job]", JobRespond.WhenPreferred)]
    [InlineData("[Job(Respond = JobRespond.Always)]", JobRespond.Always)]
    [InlineData("[Job(Respond = JobRespond.Never)]", JobRespond.Never)]
    public void When_a_request_becomes_a_job_is_what_the_attribute_says(string attribute, JobRespond expected) =>
        Assert.Equal(expected, Job(Source($"{attribute} public void M() {{ }}"))!.Respond);

    [Theory]
    [InlineData("int? x")]
    [InlineData("string? x, int y = 5")]
    [InlineData("int[] x")]
    [InlineData("[Microsoft.AspNetCore.Http.AsParameters] Where where")]
    [InlineData("OperationContext context, [Microsoft.AspNetCore.Mvc.FromServices] IComparable service")]
    public void A_parameter_that_callers_may_leave_out_needs_no_default(string parameters)
    {
        var job = Job($"public class Where {{ public int Page {{ get; set; }} = 7; }} {Source($"[Job, Schedule(\"@daily\")] public void M({parameters}) {{ }}")}")!;
        Assert.Equal("@daily", job.Schedule!.Cron);
    }

    [Theory]
    [InlineData("00:00:00", 0)]
    [InlineData("365.00:00:00", 365)]
    public void The_window_of_missed_occurrences_is_between_nothing_and_a_year(string text, int days) =>
        Assert.Equal(TimeSpan.FromDays(days), Job(Source($"[Job, Schedule(\"@daily\", MisfireWindow = \"{text}\")] public void M() {{ }}"))!.Schedule!.MisfireWindow);

    [Fact]
    public void The_contract_does_not_tell_callers_when_jobs_are_made_or_how_many_run()
    {
        var (plain, scheduled) = (Source("[Job] public int M(int x = 1) => x;"), Source($"[{Values}] public int M(int x = 1) => x;"));
        Assert.Equal(Served.From(Head + plain).Operation("S/M").Signature, Served.From(Head + scheduled).Operation("S/M").Signature);
        Assert.Equal(Contract(plain), Contract(scheduled));

        static string Contract(string source) =>
            (string)Driver.Run(Driver.Library(Head + source)).Load().GetCustomAttributesData().Single(static one => one.AttributeType.Name == nameof(WeirContractAttribute)).ConstructorArguments[1].Value!;
    }

    [Fact]
    public void What_the_compiler_says_of_a_schedule_already_is_not_said_again()
    {
        var output = Driver.Run(Driver.Library(Head + Source("[Job, Schedule] public void A() { } [Job, Schedule(Nowhere)] public void B() { } [Job, Schedule(5)] public void C() { }")));
        Assert.Empty(output.Reported);
        Assert.Contains(output.Compiled, static one => one.Id == "CS0103");
    }

    private static string Source(string method) => $"[Service] public class S {{ {method} }}";

    private static string Text(string source) => Driver.Run(Driver.Library(Head + source)).Text("Service.S.g.cs");

    private static OperationJob? Job(string source) => Served.From(Head + source).Operation("S/M").Job;
}
