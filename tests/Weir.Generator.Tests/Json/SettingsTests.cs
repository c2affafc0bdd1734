using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Microsoft.AspNetCore.Http.Json;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Json;

/// <summary>What an application sets by <c>ConfigureHttpJsonOptions</c> holds for the types of generated code too.</summary>
public sealed partial class SettingsTests
{
    private static readonly Served Served = Served.From(
        """
        using System.Text.Json.Serialization;
        using Weir;
        namespace Sample;

        public enum State { New, SentOut }

        public sealed record Line(string ItemName, int Count = 1, State State = State.SentOut, string? Note = null) { public int Double => 2 * Count; public List<int> Marks { get; } = [0]; }

        public sealed class Bag { public List<int> Marks { get; } = [0]; public int Field; }

        [Service] public sealed class Echo
        {
            public Line? Line(Line? line) => line;
            public Line[] Lines(List<Line> lines, int plusOne = 0) => [.. lines, .. Enumerable.Range(0, plusOne).Select(static one => new Line("more"))];
            public Bag Bag(Bag bag) => bag;
            public string Text(string text) => text;
            public State[] States(State[] states, State? first) => first is { } one ? [one, .. states] : states;
            public decimal Number(decimal number) => number;
            public byte[] Bytes(int count) => new byte[count];
            public async IAsyncEnumerable<Line> Stream(IAsyncEnumerable<Line> items) { await foreach (var item in items) yield return item; }
            [Stream] public IEnumerable<Line> Blocking(int count) => Enumerable.Range(1, count).Select(static one => new Line("b", one));
        }
        """);

    private static readonly Dictionary<string, Action<JsonSerializerOptions>> Settings = new()
    {
        [""] = static _ => { },
        ["PropertyNamingPolicy"] = static json => json.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        ["Converters"] = static json => json.Converters.Add(new JsonStringEnumConverter(JsonNamingPolicy.KebabCaseLower)),
        ["Converters, no numbers"] = static json => json.Converters.Add(new JsonStringEnumConverter(null, allowIntegerValues: false)),
        ["TypeInfoResolver"] = static json => json.TypeInfoResolver = new DefaultJsonTypeInfoResolver { Modifiers = { RenameCount } },
        ["TypeInfoResolver, added"] = static json => json.TypeInfoResolver = json.TypeInfoResolver!.WithAddedModifier(RenameCount),
        ["DefaultIgnoreCondition"] = static json => json.DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        ["NumberHandling"] = static json => json.NumberHandling = JsonNumberHandling.AllowReadingFromString | JsonNumberHandling.WriteAsString,
        ["PropertyNameCaseInsensitive"] = static json => json.PropertyNameCaseInsensitive = false,
        ["IncludeFields"] = static json => json.IncludeFields = true,
        ["IgnoreReadOnlyProperties"] = static json => json.IgnoreReadOnlyProperties = true,
        ["PreferredObjectCreationHandling"] = static json => json.PreferredObjectCreationHandling = JsonObjectCreationHandling.Populate,
        ["ReferenceHandler"] = static json => json.ReferenceHandler = ReferenceHandler.IgnoreCycles,
        ["UnmappedMemberHandling"] = static json => json.UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
        ["AllowTrailingCommas"] = static json => json.AllowTrailingCommas = true,
        ["ReadCommentHandling"] = static json => json.ReadCommentHandling = JsonCommentHandling.Skip,
        ["WriteIndented"] = static json => (json.WriteIndented, json.IndentSize, json.NewLine) = (true, 1, "\n"),
        ["Encoder"] = static json => json.Encoder = JavaScriptEncoder.Default,
        ["MaxDepth"] = static json => json.MaxDepth = 2,
    };

    public static TheoryData<string> Changes => [.. Settings.Keys.Where(static one => one.Length > 0)];

    [Theory]
    [MemberData(nameof(Changes))]
    public void A_setting_that_generated_code_does_not_have_replaces_it(string setting)
    {
        var serializer = Create(Settings[setting]);

        Assert.True(serializer.ReplacesGeneratedCode);
        Assert.Equal([setting.Split(',')[0]], serializer.ChangedSettings);
    }

    [Fact]
    public void Settings_that_generated_code_has_do_not_replace_it()
    {
        Assert.Empty(Create(Settings[""]).ChangedSettings);
        Assert.Empty(Create(static json =>
        {
            json.Converters.Add(new JsonStringEnumConverter());
            json.TypeInfoResolverChain.Insert(0, NumberContext.Default);
            json.NumberHandling = JsonNumberHandling.Strict;
            json.MaxDepth = 64;
            json.DictionaryKeyPolicy = JsonNamingPolicy.CamelCase;
            json.RespectNullableAnnotations = true;
        }).ChangedSettings);
    }

    [Theory]
    [InlineData("", "Line", """{"line":{"itemName":"a"}}""", """{"itemName":"a","count":1,"state":"SentOut","note":null,"double":2,"marks":[0]}""")]
    [InlineData("PropertyNamingPolicy", "Line", """{"LINE":{"Item_name":"a"}}""", """{"item_name":"a","count":1,"state":"SentOut","note":null,"double":2,"marks":[0]}""")]
    [InlineData("PropertyNamingPolicy", "Line", """{"line":null}""", "null")]
    [InlineData("PropertyNamingPolicy", "Line", """{"line":{"itemName":"a","count":"1"}}""", "line.count: invalid")]
    [InlineData("PropertyNamingPolicy", "Lines", """{"lines":[{"item_name":"a","count":2}],"plusOne":1}""", """[{"item_name":"a","count":2,"state":"SentOut","note":null,"double":4,"marks":[0]},{"item_name":"more","count":1,"state":"SentOut","note":null,"double":2,"marks":[0]}]""")]
    [InlineData("PropertyNamingPolicy", "Lines", """{"lines":null,"plusOne":null}""", "lines: null", "plusOne: null")]
    [InlineData("PropertyNamingPolicy", "Lines", """{"lines":[{"item_name":"a"},{"item_name":1}],"plusOne":1.5}""", "lines[1].item_name: invalid", "plusOne: invalid")]
    [InlineData("PropertyNamingPolicy", "Lines", """{"plus_one":1}""", "lines: missing")]
    [InlineData("PropertyNamingPolicy", "Bytes", """{"count":2}""", "\"AAA=\"")]
    [InlineData("Converters", "States", """{"states":["sent-out","new",0],"first":"SentOut"}""", """["sent-out","sent-out","new","new"]""")]
    [InlineData("Converters", "States", """{"states":[null,"sent_out"],"first":1.5}""", "states[0]: null", "states[1]: invalid", "first: invalid")]
    [InlineData("Converters, no numbers", "States", """{"states":["SentOut",0]}""", "states[1]: invalid")]
    [InlineData("TypeInfoResolver", "Line", """{"line":{"itemName":"a","number":3}}""", """{"itemName":"a","number":3,"state":"SentOut","note":null,"double":6,"marks":[0]}""")]
    [InlineData("DefaultIgnoreCondition", "Line", """{"line":{"itemName":"a"}}""", """{"itemName":"a","count":1,"state":"SentOut","double":2,"marks":[0]}""")]
    [InlineData("NumberHandling", "Number", """{"number":"1.50"}""", "\"1.50\"")]
    [InlineData("NumberHandling", "Line", """{"line":{"itemName":"a","count":"4"}}""", """{"itemName":"a","count":"4","state":"SentOut","note":null,"double":"8","marks":["0"]}""")]
    [InlineData("PropertyNameCaseInsensitive", "Line", """{"line":{"itemname":"a"}}""", "line.itemName: missing")]
    [InlineData("IgnoreReadOnlyProperties", "Line", """{"line":{"itemName":"a"}}""", """{"itemName":"a","count":1,"state":"SentOut","note":null,"marks":[0]}""")]
    [InlineData("UnmappedMemberHandling", "Line", """{"line":{"itemName":"a","x":1},"y":2}""", "line.x: unknown")]
    [InlineData("AllowTrailingCommas", "Lines", """{"lines":[{"itemName":"a",},],}""", """[{"itemName":"a","count":1,"state":"SentOut","note":null,"double":2,"marks":[0]}]""")]
    [InlineData("", "Lines", """{"lines":[{"itemName":"a",}]}""", "$: malformed", "lines: missing")]
    [InlineData("ReadCommentHandling", "Lines", "/*a*/{/*b*/\"lines\":/*d*/[/*e*/{\"itemName\":/*f*/\"a\"/*g*/}]/*h*/,\"plusOne\":/*i*/0/*j*/}//k", """[{"itemName":"a","count":1,"state":"SentOut","note":null,"double":2,"marks":[0]}]""")]
    [InlineData("WriteIndented", "Number", """{"number":1}""", "1")]
    [InlineData("WriteIndented", "States", """{"states":["New"],"first":null}""", "[\n \"New\"\n]")]
    [InlineData("Encoder", "Text", """{"text":"<é>"}""", """
        "\u003C\u00E9\u003E"
        """)]
    [InlineData("", "Text", """{"text":"<é>"}""", "\"<é>\"")]
    [InlineData("MaxDepth", "Lines", """{"lines":[{"itemName":"a"}]}""", "$: malformed", "lines: missing")]
    public async Task A_setting_holds_for_types_of_generated_code(string setting, string operation, string json, string result, params string[] moreReasons)
    {
        var serializer = Create(Settings[setting]);
        var inline = Served.Json($"Echo/{operation}", json, serializer: serializer);
        if (inline.Errors.Count > 0)
        {
            Assert.Equal([result, .. moreReasons], inline.Reasons);
            return;
        }

        await Served.Run(inline);
        Assert.Equal(result, Served.Result(inline.Call, serializer: serializer));

        // A worker gets the arguments, and sends the result, in the form that no setting changes.
        var isolated = Served.Json($"Echo/{operation}", inline.Values);
        await Served.Run(isolated.Good());
        var copy = Served.Create($"Echo/{operation}");
        copy.SetEncodedResult(Encoding.UTF8.GetBytes(Served.Result(isolated.Call)), ResultEncoding.Json);
        Assert.Equal(result, Served.Result(copy, serializer: serializer));
    }

    [Theory]
    [InlineData("PreferredObjectCreationHandling", """{"marks":[0,5]}""", """{"bag":{"marks":[0,5]}}""")]
    [InlineData("IncludeFields", """{"marks":[0],"field":7}""", """{"bag":{"marks":[0]}}""")]
    public async Task A_member_that_only_a_setting_reads_is_not_read_in_a_worker(string setting, string result, string sent)
    {
        var serializer = Create(Settings[setting]);
        var inline = Served.Json("Echo/Bag", """{"bag":{"marks":[5],"field":7}}""", serializer: serializer);
        await Served.Run(inline.Good());

        Assert.Equal(result, Served.Result(inline.Call, serializer: serializer));
        Assert.Equal(sent, inline.Values);
        Assert.Equal("""{"marks":[0]}""", Served.Result(await Served.Run(Served.Json("Echo/Bag", sent).Good())));
    }

    [Theory]
    [InlineData("", """{"itemName":"a","count":1,"state":"SentOut","note":null,"double":2,"marks":[0]}""", """{"itemName":"a"}""")]
    [InlineData("PropertyNamingPolicy", """{"item_name":"a","count":1,"state":"SentOut","note":null,"double":2,"marks":[0]}""", """{"item_name":"a"}""")]
    [InlineData("WriteIndented", """{"itemName":"a","count":1,"state":"SentOut","note":null,"double":2,"marks":[0]}""", """{"itemName":"a"}""")]
    [InlineData("AllowTrailingCommas", """{"itemName":"a","count":1,"state":"SentOut","note":null,"double":2,"marks":[0]}""", """{"itemName":"a",}""")]
    public async Task A_setting_holds_for_the_items_of_streams(string setting, string written, string read)
    {
        var serializer = Create(Settings[setting]);
        var call = (StreamCall)Served.Json("Echo/Stream", "{}", serializer: serializer).Good().Call;
        call.TakeItems(new ListedItems(read) { With = serializer });
        await Served.Run(new Binding(call, []));
        using var output = new PayloadWriter { Serializer = serializer };
        using var worker = new PayloadWriter();

        Assert.True(await call.Source!.MoveNextAsync());
        call.Source.WriteCurrent(output);
        Assert.Equal(written, Encoding.UTF8.GetString(output.WrittenSpan));

        call.Source.WriteCurrent(worker);
        output.Clear();
        new OneItem(worker.WrittenMemory.ToArray()) { Call = call }.WriteCurrent(output);
        Assert.Equal(written, Encoding.UTF8.GetString(output.WrittenSpan));
    }

    [Fact]
    public async Task A_setting_holds_for_the_items_of_a_blocking_producer()
    {
        var call = (StreamCall)(await Served.Run(Served.Json("Echo/Blocking", """{"count":1}""").Good()));
        using var output = new PayloadWriter { Serializer = Create(Settings["DefaultIgnoreCondition"]) };

        Assert.True(call.BlockingSource!.MoveNext());
        call.BlockingSource.WriteCurrent(output);

        Assert.Equal("""{"itemName":"b","count":1,"state":"SentOut","double":2,"marks":[0]}""", Encoding.UTF8.GetString(output.WrittenSpan));
    }

    [Fact]
    public void A_type_without_metadata_is_named_with_the_settings_that_need_it()
    {
        var serializer = Create(static json =>
        {
            json.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower;
            json.TypeInfoResolver = NumberContext.Default;
        });

        var error = Assert.Throws<InvalidOperationException>(() => serializer.Require(Served.Catalog.CreateJson().AllTypes(), "over HTTP"));

        Assert.Contains("Sample.Line, System.Collections.Generic.List<Sample.Line>, Sample.Line[], ", error.Message, StringComparison.Ordinal);
        Assert.Contains("over HTTP. Write [assembly: WeirJson(typeof(AppJson))]", error.Message, StringComparison.Ordinal);
    }

    private static JsonValueSerializer Create(Action<JsonSerializerOptions> set)
    {
        var options = new JsonOptions().SerializerOptions;
        set(options);
        return JsonValueSerializer.ForCallers(static () => [Served.Catalog.CreateJson()], options, new JsonOptions().SerializerOptions, refuseUnknown: false);
    }

    private static void RenameCount(JsonTypeInfo type)
    {
        foreach (var property in type.Properties.Where(static one => one.Name == "count"))
        {
            property.Name = "number";
        }
    }

    [JsonSerializable(typeof(int))]
    [JsonSerializable(typeof(string))]
    private sealed partial class NumberContext : JsonSerializerContext;

    private sealed class OneItem(byte[] item) : EncodedItemSource
    {
        public override ReadOnlyMemory<byte> Current => item;

        public override ValueTask<bool> MoveNextAsync() => new(true);

        public override ValueTask DisposeAsync() => default;
    }
}
