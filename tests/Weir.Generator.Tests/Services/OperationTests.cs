using System.Text;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>Which methods are operations, what they answer, where they run, what they give back.</summary>
public sealed class OperationTests
{
    private static readonly Served Served = Served.From(
        """
        using System.Threading.Channels;
        using Weir;
        namespace Sample;

        [AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
        public sealed class NoteAttribute(string text, params int[] numbers) : OperationFilterAttribute
        {
            public string Text => text;
            public int[] Numbers => numbers;
            public Type? Kind { get; set; }
            public DayOfWeek Day { get; set; }
            public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next) => next();
        }

        [AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, Inherited = false)]
        public sealed class OnceAttribute : OperationFilterAttribute
        {
            public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next) => next();
        }

        public sealed class Outer { public sealed class Inner(string message) : Exception(message); }

        [Note("base"), Once]
        public abstract class Ancestor : MarshalByRefObject
        {
            public int Inherited() => 1;
            [Get, Blocking] public virtual int Overridden() => 2;
            public int Hidden() => 3;
            public string Property { get; set; } = "";
            public static int Static() => 4;
            public event EventHandler? Event { add { } remove { } }
        }

        [Service("All"), Note("class", Order = 3)]
        public class Everything : Ancestor, IDisposable, IAsyncDisposable, IComparable<Everything>, IWarmUp
        {
            private readonly int[] _state = [1];

            [Note("method", 1, 2, Kind = typeof(Dictionary<,>), Day = DayOfWeek.Friday)] public override int Overridden() => 5;
            public new int Hidden() => 6;
            public override string ToString() => "text";
            public void Dispose() { }
            public ValueTask DisposeAsync() => default;
            public ValueTask WarmUpAsync(CancellationToken cancellationToken) => default;
            public int CompareTo(Everything? other) => _state[0];
            protected int Protected() => 7;
            internal int Internal() => 8;

            [Get] public int Get() => 1;
            [Get, Post] public int GetPost() => 1;
            [Post] public int Post() => 1;
            [Put] public int Put() => 1;
            [Get, Put] public int GetPut() => 1;
            [Delete, Patch] public int DeletePatch() => 1;

            public void Void() { }
            public Task Task() => System.Threading.Tasks.Task.CompletedTask;
            public ValueTask ValueTask() => default;
            public async Task<int> TaskOf() { await System.Threading.Tasks.Task.Yield(); return 1; }
            public ValueTask<string?> ValueTaskOf() => new((string?)null);
            public byte[] Bytes() => [1, 2];
            public byte[]? NoBytes() => null;
            public ReadOnlyMemory<byte> Memory() => new byte[] { 3 };
            public ReadOnlyMemory<byte>? NoMemory() => null;
            public int? NoNumber() => null;
            public string[] Texts() => ["a", null!];
            public Task<IReadOnlyList<int?>> Numbers() => System.Threading.Tasks.Task.FromResult<IReadOnlyList<int?>>([1, null]);

            [Stream(Flush = FlushPolicy.Bulk)] public IEnumerable<int> Yielded() { yield return 1; }
            [Stream(Flush = FlushPolicy.Item)] public async IAsyncEnumerable<string?> Async() { await System.Threading.Tasks.Task.Yield(); yield return null; }
            public ChannelReader<int> Channel() { var channel = System.Threading.Channels.Channel.CreateUnbounded<int>(); channel.Writer.TryWrite(9); channel.Writer.Complete(); return channel; }

            [Idempotent, Throws(typeof(Outer.Inner)), Throws(typeof(TimeoutException)), Throws(typeof(TimeoutException))] public int Declared() => 1;

            [Blocking] public int Lane() => 1;
            [Isolated] public int OwnPool() => 1;
            [Isolated("other"), Stream] public IEnumerable<int> OtherPool() => [];
        }

        [Service, Isolated] public sealed class Apart { public int Run() => 1; [Isolated("else")] public int Elsewhere() => 1; }

        [Service, Blocking] public sealed record Slow { public int Run() => 1; [Isolated] public int Away() => 1; }

        [Service] public sealed class Disposed : IDisposable { public int Run() => 1; public void Dispose() { } }

        [Service] public sealed class DisposedLater : IAsyncDisposable { public int Run() => 1; public ValueTask DisposeAsync() => default; }
        """);

    [Fact]
    public void Public_methods_are_operations_inherited_ones_first() =>
        Assert.Equal(
            [
                "Inherited", "Overridden", "Hidden", "Get", "GetPost", "Post", "Put", "GetPut", "DeletePatch", "Void", "Task", "ValueTask", "TaskOf", "ValueTaskOf", "Bytes", "NoBytes", "Memory", "NoMemory",
                "NoNumber", "Texts", "Numbers", "Yielded", "Async", "Channel", "Declared", "Lane", "OwnPool", "OtherPool",
            ],
            Served.Catalog.Services[0].Operations.Select(static one => one.Name));

    [Theory]
    [InlineData("Inherited", Verbs.Post)]
    [InlineData("Overridden", Verbs.Get)]
    [InlineData("Get", Verbs.Get)]
    [InlineData("GetPost", Verbs.Get | Verbs.Post)]
    [InlineData("Post", Verbs.Post)]
    [InlineData("Put", Verbs.Put)]
    [InlineData("GetPut", Verbs.Get | Verbs.Put)]
    [InlineData("DeletePatch", Verbs.Delete | Verbs.Patch)]
    public void Verbs_are_what_the_method_says(string operation, Verbs verbs) => Assert.Equal(verbs, Served.Operation("All/" + operation).Verbs);

    [Fact]
    public void A_service_is_left_out_of_HTTP_by_its_class_or_its_contract()
    {
        var served = Served.From(
            """
            using Weir;
            [Service] public class Open { public int A() => 1; }
            [Service(Http = false)] public class Hidden { public int A() => 1; }
            [Service(Http = false)] public interface IInner { Task A(); }
            [Service] public class Inner : IInner { public Task A() => Task.CompletedTask; }
            [Service("outer")] public interface IOuter { Task A(); }
            [Service(Http = false)] public class Outer : IOuter { public Task A() => Task.CompletedTask; }
            [Service(Http = false), Isolated] public interface IForeign { Task A(); }
            """);

        Assert.Equal(["Open"], served.Catalog.Services.Where(static one => one.IsServedOverHttp).Select(static one => one.Name));
        Assert.Equal(5, served.Catalog.Services.Count);
    }

    [Fact]
    public void Verbs_of_a_class_or_a_contract_are_the_default_of_its_operations()
    {
        var served = Served.From(
            """
            using Weir;
            [Get] public class Base { public int Old() => 1; }
            [Service] public class Reads : Base { public int New() => 1; [Post, Put] public int Write() => 1; }
            [Service, Put] public class Writes : Base { public int New() => 1; }
            [Service, Get, Delete] public interface IPlain { Task A(); [Post] Task B(); }
            [Get] public interface IOlder { Task X(); [Patch] Task Y(); }
            [Service] public interface INewer : IOlder { Task Z(); }
            [Service] public class Newer : INewer { public Task X() => Task.CompletedTask; public Task Y() => Task.CompletedTask; public Task Z() => Task.CompletedTask; }
            [Service] public class Plain : IPlain { public Task A() => Task.CompletedTask; public Task B() => Task.CompletedTask; }
            """);

        Assert.Equal(
            [
                ("Reads/Old", Verbs.Get), ("Reads/New", Verbs.Get), ("Reads/Write", Verbs.Post | Verbs.Put),
                ("Writes/Old", Verbs.Get | Verbs.Put), ("Writes/New", Verbs.Get | Verbs.Put),
                ("Newer/X", Verbs.Get), ("Newer/Y", Verbs.Patch), ("Newer/Z", Verbs.Post),
                ("Plain/A", Verbs.Get | Verbs.Delete), ("Plain/B", Verbs.Post),
            ],
            served.Catalog.Services.SelectMany(static service => service.Operations).Select(static one => (one.FullName, one.Verbs)));
    }

    [Theory]
    [InlineData("All/Inherited", Placement.Inline, null)]
    [InlineData("All/Overridden", Placement.Lane, null)]
    [InlineData("All/Yielded", Placement.Lane, null)]
    [InlineData("All/Async", Placement.Inline, null)]
    [InlineData("All/Lane", Placement.Lane, null)]
    [InlineData("All/OwnPool", Placement.Isolated, "All")]
    [InlineData("All/OtherPool", Placement.Isolated, "other")]
    [InlineData("Apart/Run", Placement.Isolated, "Apart")]
    [InlineData("Apart/Elsewhere", Placement.Isolated, "else")]
    [InlineData("Slow/Run", Placement.Lane, null)]
    [InlineData("Slow/Away", Placement.Isolated, "Slow")]
    public void Placement_is_the_methods_word_or_else_the_classs(string operation, Placement placement, string? pool)
    {
        Assert.Equal(placement, Served.Operation(operation).Placement);
        Assert.Equal(pool, Served.Operation(operation).Pool);
    }

    [Fact]
    public void A_declared_exception_has_the_name_that_the_runtime_gives_it()
    {
        var served = Served.From(
            """
            namespace Shop.@event;
            public sealed class NoStockException(string message) : System.Exception(message);
            [Weir.Service] public sealed class S { [Weir.Throws(typeof(NoStockException))] public int M() => 1; }
            """);
        Assert.Equal("Shop.event.NoStockException", Assert.Single(served.Operation("S/M").Throws).TypeName);
    }

    [Fact]
    public void What_is_declared_about_failures_is_known()
    {
        var declared = Served.Operation("All/Declared");
        Assert.True(declared.IsIdempotent);
        Assert.Equal(["Sample.Outer+Inner", "System.TimeoutException"], declared.Throws.Select(static one => one.TypeName));
        Assert.All(declared.Throws, static one =>
        {
            var made = one.Create("why");
            Assert.Equal((one.TypeName, "why"), (made.GetType().FullName, made.Message));
        });
        Assert.False(Served.Operation("All/Get").IsIdempotent);
        Assert.Empty(Served.Operation("All/Get").Throws);
    }

    [Theory]
    [InlineData("Void", ResultKind.None, "", true)]
    [InlineData("Task", ResultKind.None, "", false)]
    [InlineData("ValueTask", ResultKind.None, "", false)]
    [InlineData("TaskOf", ResultKind.Value, "1", false)]
    [InlineData("ValueTaskOf", ResultKind.Text, "null", false)]
    [InlineData("Bytes", ResultKind.Bytes, "\"AQI=\"", true)]
    [InlineData("NoBytes", ResultKind.Bytes, "null", true)]
    [InlineData("Memory", ResultKind.Bytes, "\"Aw==\"", true)]
    [InlineData("NoMemory", ResultKind.Bytes, "null", true)]
    [InlineData("NoNumber", ResultKind.Value, "null", true)]
    [InlineData("Numbers", ResultKind.Value, "[1,null]", false)]
    public async Task Results_are_written_and_travel(string operation, ResultKind kind, string json, bool isSynchronous)
    {
        var call = await Served.Run(Served.Query("All/" + operation));

        Assert.Equal(kind, call.Operation.ResultKind);
        Assert.Equal(isSynchronous, call.Operation.IsSynchronous);
        Assert.Equal(json, Served.Result(call));
        Assert.Equal(json == "null", call.Operation.IsResultNullable);
        if (json.Length > 0)
        {
            Assert.Equal(json, Served.Travel(call));
        }
    }

    [Fact]
    public async Task A_null_in_a_list_of_what_is_not_null_is_returned_as_it_is()
    {
        var call = await Served.Run(Served.Query("All/Texts"));

        Assert.Equal("""["a",null]""", Served.Result(call));
        Assert.Equal("""["a",null]""", Served.Travel(call));
    }

    [Fact]
    public async Task Raw_bytes_are_bytes()
    {
        var call = await Served.Run(Served.Query("All/Bytes"));
        using var output = new PayloadWriter();
        call.WriteResult(output, ResultEncoding.Raw);

        Assert.Equal([1, 2], output.WrittenSpan.ToArray());
    }

    [Fact]
    public async Task Streams_have_one_source()
    {
        var yielded = (StreamCall)await Served.Run(Served.Query("All/Yielded"));
        var asynchronous = (StreamCall)await Served.Run(Served.Query("All/Async"));
        var channel = (StreamCall<int>)await Served.Run(Served.Query("All/Channel"));

        Assert.True(yielded is { Source: null, BlockingSource: not null, Operation: { Flush: FlushPolicy.Bulk, IsSynchronous: true } });
        Assert.True(asynchronous is { Source: not null, BlockingSource: null, Operation: { Flush: FlushPolicy.Item, IsSynchronous: false, IsResultNullable: false } });
        Assert.True(await channel.Source!.MoveNextAsync());
        using var output = new PayloadWriter();
        channel.Source.WriteCurrent(output);
        Assert.Equal("9", Encoding.UTF8.GetString(output.WrittenSpan));
        Assert.Equal(9, channel.ReadItem("9"u8));
        Assert.Null(((StreamCall<string?>)asynchronous).ReadItem("null"u8));
    }

    [Fact]
    public void Filters_are_made_as_declared_base_and_class_first()
    {
        var filters = Served.Operation("All/Overridden").Filters.Select(static one => (dynamic)one).ToList();

        Assert.Equal(["base", "class", "method"], filters.Select(static one => (string)one.Text));
        Assert.Equal(3, (int)filters[1].Order);
        Assert.Equal(int.MaxValue, (int)filters[2].Order);
        Assert.Equal([1, 2], (int[])filters[2].Numbers);
        Assert.Equal(typeof(Dictionary<,>), (Type)filters[2].Kind);
        Assert.Equal(DayOfWeek.Friday, (DayOfWeek)filters[2].Day);
    }

    [Fact]
    public async Task What_is_obsolete_by_an_id_of_its_own_is_served_without_a_warning_in_generated_code()
    {
        var served = Served.From(
            """
            #pragma warning disable OLD1, OLD2, OLD3
            [Obsolete("old", DiagnosticId = "OLD1")] public record Old([property: Obsolete("old", DiagnosticId = "OLD2")] int X) { [Obsolete("old", DiagnosticId = "no id")] internal void Y() { } }
            [Weir.Service] public class S { [Obsolete("old", DiagnosticId = "OLD3")] public Old M(Old value) => value; }
            """);

        Assert.Equal("""{"x":1}""", await served.Respond("S/M", """{"value":{"x":1}}"""));
    }

    [Fact]
    public void State_in_the_class_or_its_bases_or_something_to_dispose_means_an_instance_per_call() =>
        Assert.Equal([false, true, true, false, false], Served.Catalog.Services.Select(static one => one.IsShared));
}
