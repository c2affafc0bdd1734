using System.Text;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Json;

/// <summary>How objects are made from JSON and written back: constructors, setters, initializers, and what STJ lets slip.</summary>
public sealed class ObjectTests
{
    private static readonly Served Served = Served.From(
        """
        using System.Text.Json.Serialization;
        using Weir;
        namespace Sample;

        public sealed record Initial { public int Count { get; init; } public string? Note { get; init; } = "kept"; public required string Name { get; init; } }

        public class Cell<TKey, TValue> where TKey : struct, IComparable<TKey> where TValue : notnull
        {
            public TKey Key { get; init; }
            public List<TValue> Values { get; init; } = [];
            public class Inner<T> where T : class?, IEnumerable<char> { public T? Text { get; init; } public TValue[]? More { get; init; } = [default!]; }
        }

        public sealed class Preset(int size) : Cell<int, string>
        {
            private readonly string _label = "none";
            public int Size { get; init; } = size;
            public string Label { get => _label; init => _label = value.Length > 0 ? value : throw new ArgumentException("empty"); }
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] public string? Mark { get; init; } = "mark";
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)] public int Level { get; set; } = 3;
            [JsonRequired] public DateOnly? Day { get; init; }
            public Spot? Spot { get; init; } = new Spot { X = 1 };
            public Cell<int, short>.Inner<string>? Nested { get; init; }
        }

        public record struct Spot() { public int X { get; init; } public int Y { get; init; } = 7; }

        public class Settable { public int Count { get; set; } = 5; public string Name { get; set; } = "start"; public List<int> Numbers { get; set; } = [1]; }

        public sealed class Required { public required int Count { get; set; } public required string? Note { get; set; } }

        public sealed record Tree(string Name, Tree? Left = null, Tree[]? Children = null);

        public sealed record Lists(int[][] Grid, List<string?> Names, IReadOnlyList<int?> Numbers, IEnumerable<Tree?> Trees, IList<Guid>? Ids);

        public readonly record struct Point(int X, int Y) { public double Length => Math.Sqrt((X * X) + (Y * Y)); }

        public sealed record Shape(Point Origin, Point? Corner, ReadOnlyMemory<byte> Pixels, byte[]? Mask, KeyValuePair<string, int> Tag);

        public class Ancestor(int id) { public int Id { get; } = id; public virtual string Kind { get; set; } = "a"; }

        public sealed class Descendant(int id, string name) : Ancestor(id) { public string Name { get; } = name; public override string Kind { get; set; } = "d"; }

        public sealed class Marked
        {
            public Marked() : this(0) { }
            [JsonConstructor] public Marked(int size) => Size = size;
            public Marked(int size, string note) : this(size) => Note = note;
            public int Size { get; }
            public string Note { get; set; } = "";
        }

        public sealed record Named(
            [property: JsonPropertyName("the-name")] string Name,
            [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Note,
            [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)] int Count,
            string @class = "say \"hi\"\n") { [JsonIgnore] public object Hidden => this; [JsonRequired] public int? Must { get; set; } }

        public class FirstOrdered { public int A { get; set; } [JsonPropertyOrder(1)] public int B { get; set; } [JsonPropertyOrder(-5)] public int C { get; set; } }

        public sealed class Ordered : FirstOrdered { [JsonPropertyOrder(1)] public int D { get; set; } public int E { get; set; } [JsonPropertyOrder(-6)] public int F { get; set; } }

        public sealed record Page<T>(T[] Items, int Total, T? First = default) where T : notnull;

        public sealed record Defaults(
            sbyte A = -3, ushort B = 7, long C = long.MinValue, ulong D = ulong.MaxValue, float E = 1.5f, double F = -0.1, decimal G = 1.50m, char H = '\'', bool I = true,
            DayOfWeek J = DayOfWeek.Friday, DayOfWeek? K = DayOfWeek.Monday, Guid L = default, string? M = null, double N = double.MaxValue);

        public sealed record Empty;

        public sealed class Sparse
        {
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] public string? First { get; set; }
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)] public int Second { get; set; }
            public int? Third { get; set; }
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] public List<int>? Fourth { get; set; }
            [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull), JsonPropertyName("fünf\"")] public Optional? Fifth { get; set; }
        }

        public sealed record Optional([property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Only = null);

        public sealed class Ring { public Ring? Next { get; set; } public List<Ring> All { get; set; } = []; }

        [Service] public sealed class Echo
        {
            public Initial Initial(Initial value) => value;
            public Preset Preset(Preset value) => value;
            public Settable Settable(Settable value) => value;
            public Required Required(Required value) => value;
            public Tree Tree(Tree value) => value;
            public Lists Lists(Lists value) => value;
            public Shape Shape(Shape value) => value;
            public Descendant Descendant(Descendant value) => value;
            public Marked Marked(Marked value) => value;
            public Named Named(Named value) => value;
            public Ordered Ordered(Ordered value) => value;
            public Page<Tree> Page(Page<Tree> value) => value;
            public Page<int> Numbers(Page<int> value) => value;
            public Defaults Defaults(Defaults value) => value;
            public Empty Empty(Empty value) => value;
            public Sparse Sparse(Sparse value) => value;
            public Ring Ring() { var ring = new Ring(); ring.All.Add(ring); return ring; }
            public Tree? Maybe(Tree? value) => value;
            public Tree Nothing() => null!;
            public Tree[] Many(Tree[] value) => value;
        }
        """);

    [Theory]
    [InlineData("{}", """{"third":null}""")]
    [InlineData("""{"first":"a","fifth":{}}""", """{"first":"a","third":null}""")]
    [InlineData("""{"second":1,"fourth":[]}""", """{"second":1,"third":null,"fourth":[]}""")]
    [InlineData("""{"first":"a","second":2,"third":3,"fourth":[4,5],"fünf\"":{}}""", """{"first":"a","second":2,"third":3,"fourth":[4,5],"fünf\"":{}}""")]
    [InlineData("""{"fünf\"":{"only":"x,"}}""", """{"third":null,"fünf\"":{"only":"x,"}}""")]
    public async Task Members_that_are_left_out_leave_no_comma(string json, string written) =>
        Assert.Equal(written, await Served.Respond("Echo/Sparse", $$"""{"value":{{json}}}"""));

    [Fact]
    public async Task An_object_that_contains_itself_is_refused()
    {
        var call = await Served.Run(Served.Json("Echo/Ring", "{}"));

        var error = Assert.Throws<InvalidOperationException>(() => Served.Result(call));
        Assert.Contains("more than 64 levels", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_object_is_made_by_its_constructor_without_parameters_as_the_serializer_does()
    {
        var served = Served.From(
            """
            namespace Sample;
            public class Person
            {
                public Person() { }
                public Person(string name) => Name = name;
                public string Name { get; set; } = "none";
                public int Age { get; set; }
            }
            [Weir.Service] public sealed class S { public string Greet(Person person) => $"{person.Name} {person.Age}"; }
            """);
        Assert.Equal("\"none 3\"", Served.Result(await served.Run(served.Json("S/Greet", """{"person":{"age":3}}""").Good())));
    }

    [Theory]
    [InlineData("Initial", """{"name":"n"}""", """{"count":0,"note":"kept","name":"n"}""")]
    [InlineData("Initial", """{"name":"n","count":1,"note":null}""", """{"count":1,"note":null,"name":"n"}""")]
    [InlineData("Preset", """{"size":2,"day":null}""", """{"size":2,"label":"none","mark":"mark","level":3,"day":null,"spot":{"x":1,"y":7},"nested":null,"key":0,"values":[]}""")]
    [InlineData("Preset", """{"key":1,"values":["v"],"size":2,"label":"l","mark":null,"level":0,"day":"2026-01-31","spot":{"x":5},"nested":{}}""", """{"size":2,"label":"l","day":"2026-01-31","spot":{"x":5,"y":7},"nested":{"text":null,"more":[0]},"key":1,"values":["v"]}""")]
    [InlineData("Preset", """{"size":2,"day":null,"spot":{"y":1},"nested":{"text":"t","more":null}}""", """{"size":2,"label":"none","mark":"mark","level":3,"day":null,"spot":{"x":0,"y":1},"nested":{"text":"t","more":null},"key":0,"values":[]}""")]
    [InlineData("Settable", "{}", """{"count":5,"name":"start","numbers":[1]}""")]
    [InlineData("Settable", """{"COUNT":6,"numbers":[]}""", """{"count":6,"name":"start","numbers":[]}""")]
    [InlineData("Required", """{"count":1,"note":null}""", """{"count":1,"note":null}""")]
    [InlineData("Tree", """{"name":"a","left":{"name":"b"},"children":[{"name":"c"}]}""", """{"name":"a","left":{"name":"b","left":null,"children":null},"children":[{"name":"c","left":null,"children":null}]}""")]
    [InlineData("Lists", """{"grid":[[1],[],[2,3]],"names":["a",null],"numbers":[1,null],"trees":[null,{"name":"t"}]}""", """{"grid":[[1],[],[2,3]],"names":["a",null],"numbers":[1,null],"trees":[null,{"name":"t","left":null,"children":null}],"ids":null}""")]
    [InlineData("Shape", """{"origin":{"x":3,"y":4},"corner":null,"pixels":"AQI=","mask":null,"tag":{"key":"k","value":1}}""", """{"origin":{"x":3,"y":4,"length":5},"corner":null,"pixels":"AQI=","mask":null,"tag":{"key":"k","value":1}}""")]
    [InlineData("Shape", """{"origin":{"x":0,"y":1,"length":7},"corner":{"x":1,"y":0},"pixels":"","mask":"/w==","tag":{"value":1,"key":""}}""", """{"origin":{"x":0,"y":1,"length":1},"corner":{"x":1,"y":0,"length":1},"pixels":"","mask":"/w==","tag":{"key":"","value":1}}""")]
    [InlineData("Descendant", """{"id":1,"name":"n"}""", """{"name":"n","kind":"d","id":1}""")]
    [InlineData("Marked", """{"size":2,"note":"x"}""", """{"size":2,"note":"x"}""")]
    [InlineData("Ordered", """{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}""", """{"f":6,"c":3,"e":5,"a":1,"d":4,"b":2}""")]
    [InlineData("Named", """{"the-name":"n","count":0,"must":null}""", """{"the-name":"n","class":"say \"hi\"\n","must":null}""")]
    [InlineData("Named", """{"the-name":"n","note":"o","count":2,"class":"","must":1}""", """{"the-name":"n","note":"o","count":2,"class":"","must":1}""")]
    [InlineData("Page", """{"items":[{"name":"a"}],"total":1}""", """{"items":[{"name":"a","left":null,"children":null}],"total":1,"first":null}""")]
    [InlineData("Numbers", """{"items":[1,2],"total":1}""", """{"items":[1,2],"total":1,"first":0}""")]
    [InlineData("Defaults", "{}", """{"a":-3,"b":7,"c":-9223372036854775808,"d":18446744073709551615,"e":1.5,"f":-0.1,"g":1.50,"h":"'","i":true,"j":"Friday","k":"Monday","l":"00000000-0000-0000-0000-000000000000","m":null,"n":1.7976931348623157E+308}""")]
    [InlineData("Empty", """{"unknown":[1]}""", "{}")]
    public async Task Objects_are_read_and_written(string operation, string json, string written)
    {
        var call = await Served.Run(Served.Json($"Echo/{operation}", $$"""{"value":{{json}}}""").Good());

        Assert.Equal(written, Served.Result(call));
        Assert.Equal(written, Served.Travel(call));
    }

    [Theory]
    [InlineData("Initial", "{}", "value.name: missing")]
    [InlineData("Preset", """{"label":null,"values":null,"spot":{"x":null}}""", "value.label: null", "value.values: null", "value.spot.x: null", "value.size: missing", "value.day: missing")]
    [InlineData("Initial", """{"name":null,"count":1}""", "value.name: null")]
    [InlineData("Settable", """{"name":null,"numbers":null}""", "value.name: null", "value.numbers: null")]
    [InlineData("Settable", """{"numbers":[null,1,"1"]}""", "value.numbers[0]: null", "value.numbers[2]: invalid")]
    [InlineData("Required", "{}", "value.count: missing", "value.note: missing")]
    [InlineData("Tree", """{"name":"a","NAME":"b"}""", "value.name: duplicate")]
    [InlineData("Tree", """{"name":"a","left":{"name":1,"children":[{}]}}""", "value.left.name: invalid", "value.left.children[0].name: missing")]
    [InlineData("Lists", """{"grid":[[1],null,[null,true]],"names":[],"numbers":[1.5],"trees":[]}""", "value.grid[1]: null", "value.grid[2][0]: null", "value.grid[2][1]: invalid", "value.numbers[0]: invalid")]
    [InlineData("Shape", """{"origin":null,"corner":{"x":1},"pixels":null,"mask":"!","tag":{"key":null,"value":0}}""", "value.origin: null", "value.corner.y: missing", "value.pixels: null", "value.mask: invalid", "value.tag.key: null")]
    [InlineData("Named", """{"the-name":"n"}""", "value.must: missing")]
    [InlineData("Shape", """{"origin":{"x":0,"y":1,"length":7,"LENGTH":7},"pixels":"","tag":{"value":1,"key":""}}""", "value.origin.length: duplicate")]
    [InlineData("Tree", "null", "value: null")]
    [InlineData("Tree", "[]", "value: invalid")]
    [InlineData("Tree", "\"text\"", "value: invalid")]
    [InlineData("Many", "null", "value: null")]
    [InlineData("Many", "{}", "value: invalid")]
    public void What_does_not_fit_is_named(string operation, string json, params string[] reasons) =>
        Assert.Equal(reasons, Served.Json($"Echo/{operation}", $$"""{"value":{{json}}}""").Reasons);

    [Fact]
    public void A_missing_list_of_objects_is_a_fault() =>
        Assert.Equal(["value: missing"], Served.Json("Echo/Many", "{}").Reasons);

    [Fact]
    public async Task Null_is_a_value_where_the_type_says_so()
    {
        Assert.Equal("null", await Served.Respond("Echo/Maybe", """{"value":null}"""));
        Assert.Equal("null", await Served.Respond("Echo/Maybe", "{}"));
    }

    [Fact]
    public async Task A_null_result_is_written_as_null_whatever_the_type_says() =>
        Assert.Equal("null", Served.Result(await Served.Run(Served.Json("Echo/Nothing", "{}"))));

    [Fact]
    public void Unknown_members_are_passed_over_or_refused()
    {
        const string Body = """{"value":{"name":"a","left":{"name":"b","extra":{"deep":[1,{"x":2}]}}},"more":1}""";

        Assert.Empty(Served.Json("Echo/Tree", Body).Reasons);
        Assert.Equal(["value.left.extra: unknown", "more: unknown"], Served.Json("Echo/Tree", Body, refuseUnknown: true).Reasons);
    }

    [Fact]
    public void A_member_that_is_only_written_may_come_back() =>
        Assert.Empty(Served.Json("Echo/Shape", """{"value":{"origin":{"x":0,"y":1,"length":7},"corner":null,"pixels":"","mask":null,"tag":{"key":"","value":1}}}""", refuseUnknown: true).Reasons);

    [Theory]
    [InlineData(63, true)]
    [InlineData(64, false)]
    public void Sixty_four_levels_are_the_most(int trees, bool fits)
    {
        var json = new StringBuilder();
        for (var level = 0; level < trees; level++)
        {
            json.Append("""{"name":"x","left":""");
        }

        json.Append("null").Append('}', trees);
        var binding = Served.Json("Echo/Tree", $$"""{"value":{{json}}}""");

        Assert.Equal(fits ? [] : ["$: malformed"], binding.Reasons.Take(1));
    }

    [Fact]
    public void Broken_JSON_is_one_fault_and_the_next_argument_is_named_right()
    {
        var binding = Served.Read("Echo/Tree", Argument.Json("value", """{"name":"a","left":{"name":1,]"""), Argument.Json("VALUE", "1"));

        Assert.Equal(["value.left.name: invalid", "value: malformed", "value: duplicate"], binding.Reasons);
    }

    [Fact]
    public void Many_faults_end_at_a_hundred_and_make_no_object()
    {
        var elements = string.Join(',', Enumerable.Repeat("{}", 150));
        var binding = Served.Json("Echo/Many", $$"""{"value":[{{elements}}]}""");

        Assert.Equal(100, binding.Errors.Count);
        Assert.Equal("value[99].name: missing", binding.Reasons[99]);
    }

    [Theory]
    [InlineData("""{"value":{"\ud800":1,"name":"a"}}""")]
    [InlineData("""{"value":{"name":"a","n\u0061me2":1}}""")]
    public void Names_that_are_no_text_are_unknown_ones(string json) =>
        Assert.Empty(Served.Json("Echo/Tree", json).Reasons);

    [Fact]
    public void Names_may_be_escaped() =>
        Assert.Equal("""{"value":{"name":"a","left":null,"children":null}}""", Served.Json("Echo/Tree", """{"v\u0061lue":{"n\u0061me":"a"}}""").Good().Values);

    [Fact]
    public void Text_that_is_no_text_is_a_fault() =>
        Assert.Equal(["value.name: invalid"], Served.Json("Echo/Tree", """{"value":{"name":"\ud800"}}""").Reasons);

    [Fact]
    public async Task A_cyclic_result_ends_at_sixty_four_levels()
    {
        var served = Served.From(
            """
            using Weir;
            namespace Sample;
            public sealed class Loop { public Loop? Next { get; set; } }
            [Service] public sealed class Loops { public Loop Make() { var loop = new Loop(); loop.Next = loop; return loop; } }
            """);
        var call = await served.Run(served.Json("Loops/Make", "{}"));

        Assert.Throws<InvalidOperationException>(() => Served.Result(call));
    }
}
