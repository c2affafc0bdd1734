using System.Text;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Json;

/// <summary>What null becomes: refused from outside where an annotation says so, and passed on between host and worker, which judge nothing again.</summary>
public sealed class NullTests
{
    private static readonly Served Served = Served.From(
        """
        using System.Text.Json.Serialization;
        using Weir;
        namespace Sample;

        public class Leg { public string A { get; set; } = null!; public int X { get; set; } public Leg Next { get; set; } = null!; public List<string> Names { get; set; } = null!; public Leg[] Legs { get; set; } = null!; public byte[] Data { get; set; } = null!; }

        public sealed record Positional(string A, Spot S, [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string Note = null!);

        public sealed record Needed([property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string A, int[][] Grid);

        public record struct Spot(int X);

        #nullable disable
        public class Old { public string A { get; set; } public int X { get; set; } public Old Next { get; set; } public List<string> Names { get; set; } public List<List<string>> Deep { get; set; } public string[][] Grid { get; set; } public DayOfWeek? Day { get; set; } }

        public record OldRecord(string A, int X, Old[] Others);

        public class OldInit { public string A { get; init; } = "kept"; }

        public interface IOldBase { Task<string> Text(string text); }

        [Service] public interface IOldContract : IOldBase { IAsyncEnumerable<string> Items(IAsyncEnumerable<string> items); ValueTask<List<string>> Names(List<string> names); Task<Page<string>> Page(Page<string> page); }

        [Service] public sealed class OldContract : IOldContract
        {
            public Task<string> Text(string text) => Task.FromResult(text);
            public IAsyncEnumerable<string> Items(IAsyncEnumerable<string> items) => items;
            public ValueTask<List<string>> Names(List<string> names) => new(names);
            public Task<Page<string>> Page(Page<string> page) => Task.FromResult(page);
        }

        [Service] public sealed class Oblivious
        {
            public string Text(string text) => text;
            public Old Echo(Old value) => value;
            public OldRecord Record(OldRecord value) => value;
            public OldInit Init(OldInit value) => value;
            public string[] Texts(string[] texts) => texts;
            public List<Old> Olds(List<Old> olds) => olds;
            public byte[] Bytes(byte[] data) => data;
            public int Number(int number) => number;
            public Page<string> Page(Page<string> page) => page;
            public Task<string> Later(string text = null) => Task.FromResult(text);
            public IAsyncEnumerable<string> Stream(IAsyncEnumerable<string> items) => items;
        }
        #nullable restore

        public sealed record Page<T>(T[] Items, T First, int Total);

        [Service] public sealed class Annotated
        {
            public Leg Echo(Leg value) => value;
            public Positional Place(Positional value) => value;
            public Needed Need(int x) => x == 0 ? new(null!, [null!]) : new("a", [[x]]);
            public string Text(string text) => text;
            public Spot Spot(Spot spot) => spot;
            public int? Number(int? number) => number;
        }
        """);

    [Theory]
    [InlineData("Annotated/Echo", """{"value":{"x":1}}""", """{"a":null,"x":1,"next":null,"names":null,"legs":null,"data":null}""")]
    [InlineData("Annotated/Echo", """{"value":{"a":"b","next":{},"names":["c"],"legs":[{}],"data":"AQ=="}}""", """{"a":"b","x":0,"next":{"a":null,"x":0,"next":null,"names":null,"legs":null,"data":null},"names":["c"],"legs":[{"a":null,"x":0,"next":null,"names":null,"legs":null,"data":null}],"data":"AQ=="}""")]
    [InlineData("Annotated/Place", """{"value":{"a":"b","s":{"x":1}}}""", """{"a":"b","s":{"x":1}}""")]
    [InlineData("Annotated/Need", """{"x":0}""", """{"grid":[null]}""")]
    [InlineData("Annotated/Number", """{"number":null}""", "null")]
    [InlineData("Oblivious/Text", """{"text":null}""", "null")]
    [InlineData("Oblivious/Text", "{}", "null")]
    [InlineData("Oblivious/Echo", """{"value":{"a":null,"names":[null,"b"],"deep":[null,["c",null]],"grid":[null,[null]]}}""", """{"a":null,"x":0,"next":null,"names":[null,"b"],"deep":[null,["c",null]],"grid":[null,[null]],"day":null}""")]
    [InlineData("Oblivious/Echo", "{}", "null")]
    [InlineData("Oblivious/Record", """{"value":{"x":1}}""", """{"a":null,"x":1,"others":null}""")]
    [InlineData("Oblivious/Init", """{"value":{"a":null}}""", """{"a":null}""")]
    [InlineData("Oblivious/Init", """{"value":{}}""", """{"a":"kept"}""")]
    [InlineData("Oblivious/Texts", """{"texts":["a",null]}""", """["a",null]""")]
    [InlineData("Oblivious/Texts", "{}", "null")]
    [InlineData("Oblivious/Olds", """{"olds":[null]}""", "[null]")]
    [InlineData("Oblivious/Bytes", "{}", "null")]
    [InlineData("Oblivious/Page", """{"page":{"items":[null],"total":1}}""", """{"items":[null],"first":null,"total":1}""")]
    [InlineData("Oblivious/Later", "{}", "null")]
    [InlineData("OldContract/Text", "{}", "null")]
    [InlineData("OldContract/Names", """{"names":[null]}""", "[null]")]
    public async Task What_the_host_accepted_binds_in_a_worker_and_what_the_worker_returns_is_returned(string operation, string json, string expected)
    {
        var inline = await Served.Run(Served.Json(operation, json).Good());
        var isolated = await Served.Run(Carried(Served.Json(operation, json)).Good());

        Assert.Equal(expected, Served.Result(inline));
        Assert.Equal(expected, Served.Travel(isolated));
    }

    [Theory]
    [InlineData("Annotated/Echo", """{"value":{"a":null}}""", "value.a: null")]
    [InlineData("Annotated/Echo", """{"value":{"next":null,"legs":[null]}}""", "value.next: null", "value.legs[0]: null")]
    [InlineData("Annotated/Place", """{"value":{"a":null,"s":null}}""", "value.a: null", "value.s: null")]
    [InlineData("Annotated/Text", "{}", "text: missing")]
    [InlineData("Oblivious/Number", "{}", "number: missing")]
    [InlineData("Oblivious/Number", """{"number":null}""", "number: null")]
    [InlineData("Oblivious/Record", "{\"value\":{}}", "value.x: missing")]
    public void From_outside_null_is_judged_by_the_annotation(string operation, string json, params string[] reasons) =>
        Assert.Equal(reasons, Served.Json(operation, json).Reasons);

    [Theory]
    [InlineData("Annotated/Spot", """{"spot":null}""", "spot: null")]
    [InlineData("Annotated/Place", """{"value":{"a":null,"s":null}}""", "value.s: null")]
    [InlineData("Oblivious/Number", """{"number":null}""", "number: null")]
    public void What_can_never_be_null_is_wrong_between_host_and_worker_too(string operation, string json, string reason) =>
        Assert.Equal([reason], Bind(operation, [Argument.Json(FirstName(json), json[(json.IndexOf(':') + 1)..^1])]).Reasons);

    private static string FirstName(string json) => json.Split('"')[1];

    /// <summary>The arguments as a worker gets them.</summary>
    private static Binding Carried(Binding binding)
    {
        binding.Good();
        using var writer = new ArgumentWriter();
        binding.Call.WriteArguments(writer);
        var operation = binding.Call.Operation;
        var arguments = writer.Raw.ToArray().Select(one => new Argument(operation.Parameters[one.Parameter].Name, ArgumentForm.Raw, "frame", one.Bytes.ToArray())).ToList();
        if (writer.Values.Length > 0)
        {
            using var values = System.Text.Json.JsonDocument.Parse(Encoding.UTF8.GetString(writer.Values.WrittenSpan));
            arguments.AddRange(values.RootElement.EnumerateObject().Select(static one => Argument.Json(one.Name, one.Value.GetRawText())));
        }

        return Bind(operation.FullName, arguments);
    }

    private static Binding Bind(string operation, IReadOnlyList<Argument> arguments)
    {
        var call = Served.Create(operation);
        var errors = new BindingErrorList { AcceptsNull = true };
        call.Bind(new ArgumentListReader(arguments, errors));
        return new Binding(call, errors.ToArray());
    }
}
