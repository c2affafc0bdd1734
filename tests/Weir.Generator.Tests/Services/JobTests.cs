using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>What the generator writes of <c>[Job]</c>.</summary>
public sealed class JobTests
{
    private const string Head = "using Weir; namespace Sample; ";

    private const string Values = "\"imports.run-v2/x_1\", Attempts = 7, Timeout = \"1.02:03:04.5\", Backoff = \"00:00:01\", MaxBackoff = \"00:10:00\", Concurrency = 3, Key = \"customer\"";

    private static readonly OperationJob All = new()
    {
        Kind = "imports.run-v2/x_1",
        Attempts = 7,
        Timeout = new TimeSpan(1, 2, 3, 4, 500),
        Backoff = TimeSpan.FromSeconds(1),
        MaxBackoff = TimeSpan.FromMinutes(10),
        Concurrency = 3,
        KeyParameter = 1,
    };

    [Fact]
    public void A_class_says_all_values_of_its_jobs() =>
        Assert.Equal(All, Job($"[Service] public class S {{ [Job({Values})] public void M(OperationContext context, int rows, string customer, CancellationToken token) {{ }} }}"));

    [Fact]
    public void An_interface_says_all_values_of_the_jobs_of_the_class_that_implements_it() =>
        Assert.Equal(All, Job($"[Service(\"S\")] public interface IFoo {{ [Job({Values})] Task M(int rows, string customer, CancellationToken token); }} [Service] public class Foo : IFoo {{ public Task M(int rows, string customer, CancellationToken token) => Task.CompletedTask; }}"));

    [Fact]
    public void An_interface_says_all_values_of_the_jobs_of_a_class_that_serves_it_without_implementing_it() =>
        Assert.Equal(All, Job($"[Service(\"S\")] public interface IFoo {{ [Job({Values})] Task M(int rows, string customer); }} [Service(typeof(IFoo))] public class Foo {{ public void M(OperationContext context, int rows, string customer) {{ }} }}"));

    [Fact]
    public void An_interface_says_all_values_of_the_jobs_of_a_worker_in_another_language() =>
        Assert.Equal(All, Job($"[Service(\"S\"), Isolated] public interface IFoo {{ [Job({Values})] Task M(int rows, string customer); }}"));

    [Fact]
    public void A_method_that_overrides_one_has_its_jobs() =>
        Assert.Equal(All, Job($"public abstract class Base {{ [Job({Values})] public virtual void M(int rows, string customer) {{ }} }} [Service] public class S : Base {{ public override void M(int rows, string customer) {{ }} }}"));

    [Theory]
    [InlineData("Job")]
    [InlineData("Job(null!)")]
    [InlineData("Job(Attempts = 0, Timeout = \"01:00:00\", Backoff = \"00:00:05\", MaxBackoff = \"01:00:00\", Concurrency = 0, Key = null)")]
    public void What_is_the_default_is_not_written(string attribute)
    {
        var source = Source($"[{attribute}] public void M() {{ }}");
        Assert.Contains("Job = new global::Weir.OperationJob(),", Text(source), StringComparison.Ordinal);
        Assert.Equal(new OperationJob(), Job(source));
    }

    [Fact]
    public void Only_what_is_not_the_default_is_written() =>
        Assert.Contains(
            "Job = new global::Weir.OperationJob { Attempts = 2, Timeout = new global::System.TimeSpan(216000000000L), KeyParameter = 0 },",
            Text(Source("[Job(Attempts = 2, Timeout = \"06:00:00\", Key = nameof(id))] public void M(Guid id) { }")), StringComparison.Ordinal);

    [Fact]
    public void A_timeout_that_is_null_is_no_limit() =>
        Assert.Equal(new OperationJob { Timeout = null }, Job(Source("[Job(Timeout = null)] public void M() { }")));

    [Theory]
    [InlineData("[Job(\"9\", Attempts = 1000, Backoff = \"00:00:00\", MaxBackoff = \"0:0:0\", Timeout = \"00:00:00.001\")] public void M() { }")]
    [InlineData("[Job(Backoff = \"01:00:00\", Timeout = \"49.00:00:00\")] public void M() { }")]
    [InlineData("[Job, Get, Post] public byte[] M(byte[] x) => x;")]
    [InlineData("[Job] public ReadOnlyMemory<byte>? M(ReadOnlyMemory<byte> x) => x;")]
    [InlineData("[Job] public IAsyncEnumerable<byte[]> M() => null!;")]
    [InlineData("[Job, Put, Delete] public IAsyncEnumerable<Dictionary<string, object>> M([Microsoft.AspNetCore.Mvc.FromHeader] string tenant) => null!;")]
    [InlineData("[Job, Stream] public IEnumerable<int> M(OperationContext context, [Microsoft.AspNetCore.Mvc.FromServices] IComparable service) => [];")]
    public void What_can_be_stored_can_be_a_job(string method) => Assert.NotNull(Job(Source(method)));

    [Theory]
    [InlineData("string")]
    [InlineData("string?")]
    [InlineData("long")]
    [InlineData("decimal?")]
    [InlineData("Guid")]
    [InlineData("DateTimeOffset")]
    [InlineData("DateOnly")]
    [InlineData("TimeOnly")]
    [InlineData("TimeSpan")]
    [InlineData("DayOfWeek")]
    [InlineData("bool")]
    public void A_key_is_a_single_value(string type) => Assert.Equal(1, Job(Source($"[Job(Key = \"key\")] public void M(int[] others, {type} key) {{ }}"))!.KeyParameter);

    [Fact]
    public void A_key_may_be_a_member_of_a_group_and_the_name_of_a_keyword()
    {
        Assert.Equal(2, Job($"public record Where(int Page, string Customer); {Source("[Job(Key = \"Customer\")] public void M(int first, [Microsoft.AspNetCore.Http.AsParameters] Where where) { }")}")!.KeyParameter);
        Assert.Equal(0, Job(Source("[Job(Key = nameof(@event))] public void M(int @event) { }"))!.KeyParameter);
    }

    [Fact]
    public void An_operation_without_jobs_says_nothing_of_them()
    {
        var source = Source("[Idempotent] public void M() { }");
        Assert.DoesNotContain("job", Text(source), StringComparison.OrdinalIgnoreCase);
        Assert.Null(Job(source));
    }

    [Theory]
    [InlineData("Job, Isolated")]
    [InlineData("Job, Blocking")]
    [InlineData("Job, Idempotent")]
    [InlineData("Job, Throws(typeof(TimeoutException))")]
    [InlineData("Job, Isolated(\"imports\"), Idempotent, Throws(typeof(TimeoutException), Status = 409)")]
    public void Jobs_stand_beside_the_other_attributes(string attributes)
    {
        var operation = Operation(Source($"[{attributes}] public int M(int id) => id;"));
        Assert.NotNull(operation.Job);
        Assert.Equal(attributes.Contains("Isolated", StringComparison.Ordinal) ? Placement.Isolated : attributes.Contains("Blocking", StringComparison.Ordinal) ? Placement.Lane : Placement.Inline, operation.Placement);
        Assert.Equal(attributes.Contains("Idempotent", StringComparison.Ordinal), operation.IsIdempotent);
        Assert.Equal(attributes.Contains("Throws", StringComparison.Ordinal) ? 1 : 0, operation.Throws.Count);
    }

    [Theory]
    [InlineData("[Job, Resumable] public IAsyncEnumerable<int> M() => null!;", Resumption.Buffer)]
    [InlineData("[Job, Resumable, Idempotent, Isolated] public IAsyncEnumerable<int> M(long from = 0) => null!;", Resumption.Source)]
    public void A_stream_that_continues_after_a_cut_can_be_a_job(string method, Resumption expected)
    {
        var operation = Operation(Source(method));
        Assert.NotNull(operation.Job);
        Assert.Equal(expected, operation.Resumption);
    }

    private static string Source(string method) => $"[Service] public class S {{ {method} }}";

    private static string Text(string source) => Driver.Run(Driver.Library(Head + source)).Text("Service.S.g.cs");

    private static OperationJob? Job(string source) => Operation(source).Job;

    private static Operation Operation(string source) => Served.From(Head + source).Operation("S/M");
}
