using System.Text.Json.Nodes;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>The contract that the generator writes of a service: what callers send and receive, as JSON.</summary>
public sealed class ContractTextTests
{
    private const string Types = """
        using System.Collections.Generic; using System.IO; using System.Text.Json; using System.Text.Json.Serialization; using System.Threading.Tasks; using Weir; using Microsoft.AspNetCore.Mvc;
        namespace Shop;
        public enum Color { Red, [JsonStringEnumMemberName("green")] Green, AlsoGreen = 1 }
        [System.Flags] public enum Access { None, Read = 1, Write = 2 }
        public sealed record Line(string Article, int Count = 1) { public decimal Price { get; init; } [JsonIgnore] public int Hidden { get; set; } public int Sum => Count; }
        public sealed class Node { public required string Name { get; set; } public Node? Next { get; set; } [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] public string? Note { get; set; } }
        [JsonDerivedType(typeof(Circle), "circle")] [JsonDerivedType(typeof(Square), 2)] public abstract record Figure(string Id);
        public sealed record Circle(string Id, double Radius) : Figure(Id);
        public sealed record Square(string Id, double Side) : Figure(Id);
        public sealed class Bag { public Dictionary<string, Line[]>? Lines { get; set; } public HashSet<int> Numbers { get; set; } = []; public JsonElement More { get; set; } public System.Int128 Big { get; set; } [JsonPropertyName("renamed")] public Color? Color { get; set; } }
        public sealed class NotFoundException(string message) : System.Exception(message);
        """;

    [Theory]
    [InlineData("int M(int a, long? b = 5, string? c = null, string d = \"x\")", """[{"name":"a","in":"value","type":"int32"},{"name":"b","in":"value","type":"int64?","optional":true,"default":"5L"},{"name":"c","in":"value","type":"string?","optional":true},{"name":"d","in":"value","type":"string","optional":true,"default":"\u0022x\u0022"}]""")]
    [InlineData("int M([FromHeader(Name = \"X-Id\")] System.Guid id, [FromQuery] System.DateOnly[] days)", """[{"name":"id","wire":"X-Id","in":"header","type":"uuid"},{"name":"days","in":"query","type":"date[]","optional":true}]""")]
    [InlineData("int M(Line line, bool[] flags)", """[{"name":"line","in":"body","type":"Shop.Line"},{"name":"flags","in":"value","type":"boolean[]","optional":true}]""")]
    [InlineData("int M(byte[] bytes, System.Uri? where = null)", """[{"name":"bytes","in":"raw","type":"bytes"},{"name":"where","in":"value","type":"text?","optional":true}]""")]
    [InlineData("int M(Stream body)", """[{"name":"body","in":"stream","type":"bytes"}]""")]
    [InlineData("async Task<int> M(IAsyncEnumerable<Line?> lines)", """[{"name":"lines","in":"items","type":"Shop.Line?"}]""")]
    public void A_parameter_has_its_name_source_and_type(string method, string expected) =>
        Assert.Equal(expected, Operation($"public {method} {{ {(method.StartsWith("async", StringComparison.Ordinal) ? "await Task.Yield(); " : "")}return 0; }}")["parameters"]!.ToJsonString());

    [Theory]
    [InlineData("void M() { }", """{"kind":"none"}""")]
    [InlineData("string? M() => null;", """{"kind":"text","type":"string?"}""")]
    [InlineData("byte[] M() => [];", """{"kind":"bytes","type":"bytes"}""")]
    [InlineData("Task<Color?> M() => Task.FromResult<Color?>(null);", """{"kind":"value","type":"Shop.Color?"}""")]
    [InlineData("IAsyncEnumerable<Line> M() => null!;", """{"kind":"stream","type":"Shop.Line"}""")]
    [InlineData("IAsyncEnumerable<byte[]> M() => null!;", """{"kind":"byteStream","type":"bytes"}""")]
    [InlineData("Stream M() => null!;", """{"kind":"raw","type":"json"}""")]
    [InlineData("Dictionary<string, List<Line?>>? M() => null;", """{"kind":"value","type":"Shop.Line?[]{}?"}""")]
    public void A_result_has_its_kind_and_type(string method, string expected) =>
        Assert.Equal(expected, Operation($"public {method}")["result"]!.ToJsonString());

    [Theory]
    [InlineData("Color", "Shop.Color", """{"enum":["Red","green"]}""")]
    [InlineData("Access", "Shop.Access", """{"enum":["None","Read","Write"],"flags":true}""")]
    [InlineData("Line", "Shop.Line", """{"members":[{"name":"article","type":"string"},{"name":"count","type":"int32","optional":true},{"name":"price","type":"decimal","optional":true},{"name":"sum","type":"int32","readOnly":true}]}""")]
    [InlineData("Node", "Shop.Node", """{"members":[{"name":"name","type":"string"},{"name":"next","type":"Shop.Node?","optional":true},{"name":"note","type":"string?","optional":true,"omitted":true}]}""")]
    [InlineData("Figure", "Shop.Figure", """{"discriminator":"$type","cases":[{"value":"circle","type":"Shop.Circle"},{"value":2,"type":"Shop.Square"}],"members":[]}""")]
    [InlineData("Bag", "Shop.Bag", """{"members":[{"name":"lines","type":"Shop.Line[]{}?","optional":true},{"name":"numbers","type":"int32[]","optional":true},{"name":"more","type":"json","optional":true},{"name":"big","type":"int128","optional":true},{"name":"renamed","type":"Shop.Color?","optional":true}]}""")]
    public void A_type_has_its_members_as_JSON_has_them(string type, string name, string expected) =>
        Assert.Equal(expected, Contract($"public {type} M() => default!;")["types"]![name]!.ToJsonString());

    [Fact]
    public void Types_below_a_type_are_in_the_contract_too() =>
        Assert.Equal(["Shop.Bag", "Shop.Color", "Shop.Line"], Contract("public Bag M() => default!;")["types"]!.AsObject().Select(static one => one.Key));

    [Fact]
    public void Routes_exceptions_and_documentation_are_in_the_contract()
    {
        var operation = Operation("""
            /// <summary>Finds "it".</summary>
            /// <param name="id">Which.</param>
            [Get("{id:int}"), Post, Throws(typeof(NotFoundException), Status = 404), Idempotent] public int M(int id) => id;
            """);
        Assert.Equal("""[{"verbs":["GET"],"path":"/Things/{id:int}"},{"verbs":["POST"],"path":"/Things/M"}]""", operation["routes"]!.ToJsonString());
        Assert.Equal("""[{"name":"Shop.NotFoundException","status":404}]""", operation["throws"]!.ToJsonString());
        Assert.True((bool)operation["idempotent"]!);
        Assert.Equal("Finds \"it\".", (string)operation["docs"]!["summary"]!);
        Assert.Equal("Which.", (string)operation["docs"]!["parameters"]!["id"]!);
    }

    [Theory]
    [InlineData("public int M(int a) => a;", "/// <summary>More.</summary>\npublic int M(int a) => a;", true)]
    [InlineData("public int M(int a) => a;", "public int M(int b) => b;", false)]
    [InlineData("public int M(int a) => a;", "public int M(int a, int b = 1) => a;", false)]
    [InlineData("public int M(int a) => a;", "[Get] public int M(int a) => a;", false)]
    [InlineData("public int M(int a) => a;", "public int? M(int a) => a;", false)]
    public void The_signature_is_of_what_is_sent_and_received_not_of_documentation(string one, string other, bool areEqual) =>
        Assert.Equal(areEqual, (string)Operation(one)["signature"]! == (string)Operation(other)["signature"]!);

    [Theory]
    [InlineData("Job", "Things/M")]
    [InlineData("Job(\"imports.run\")", "imports.run")]
    public void The_kind_of_jobs_is_in_the_contract(string attribute, string expected) =>
        Assert.Equal(expected, (string)Operation($"[{attribute}] public int M(int id) => id;")["job"]!);

    [Theory]
    [InlineData("Job", null)]
    [InlineData("Job(Respond = JobRespond.Always)", "always")]
    [InlineData("Job(Respond = JobRespond.Never)", "never")]
    public void When_requests_become_jobs_is_in_the_contract_where_it_is_not_the_default(string attribute, string? expected) =>
        Assert.Equal(expected, (string?)Operation($"[{attribute}] public int M(int id) => id;")["respond"]);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_kind_of_jobs_is_in_the_contract_of_an_interface_that_no_class_serves(bool isOldFramework)
    {
        const string Contract = "namespace Shop { [Weir.Service] public interface IThings { [Weir.Job(\"imports\", Timeout = \"06:00:00\")] System.Threading.Tasks.Task M(int id); } }";
        var output = isOldFramework ? Driver.OldFramework(Contract) : Driver.Run(Driver.Library(Contract));
        Assert.Empty(output.Reported);
        Assert.Contains("\\\"job\\\":\\\"imports\\\"", output.Text("Contracts.g.cs"), StringComparison.Ordinal);
    }

    [Fact]
    public void The_kind_of_jobs_is_the_only_difference_and_the_signature_is_the_same()
    {
        const string Method = "public int M(int id) => id;";
        var without = Operation($"/// <summary>Runs.</summary>\n{Method}");
        var with = Operation($"/// <summary>Runs.</summary>\n[Job(\"imports\", Attempts = 3)] {Method}").AsObject();
        Assert.Equal((string)without["signature"]!, (string)with["signature"]!);
        Assert.True(with.Remove("job"));
        Assert.Equal(without.ToJsonString(), with.ToJsonString());
    }

    [Fact]
    public void The_signature_changes_with_a_type_that_is_used_indirectly()
    {
        var before = Contract("public Bag M() => default!;");
        var after = Contract("public Bag M() => default!;", Types.Replace("decimal Price", "double Price", StringComparison.Ordinal));
        Assert.NotEqual((string)before["operations"]![0]!["signature"]!, (string)after["operations"]![0]!["signature"]!);
    }

    [Fact]
    public void The_operation_of_a_contract_has_the_signature_of_the_class_that_serves_it()
    {
        const string Contract = "namespace Shop; [Weir.Service] public interface IThings { System.Threading.Tasks.Task<int> M(int a); }";
        var declared = Driver.Run(Driver.Compilation("Contracts", Microsoft.CodeAnalysis.OutputKind.DynamicallyLinkedLibrary, [], Contract));
        var served = Driver.Run(Driver.Compilation("Shop", Microsoft.CodeAnalysis.OutputKind.DynamicallyLinkedLibrary, [declared.Reference()], """
            [Weir.Service] public sealed class Things : Shop.IThings { public System.Threading.Tasks.Task<int> M(int a) => System.Threading.Tasks.Task.FromResult(a); }
            """));
        var text = declared.Load().GetCustomAttributesData().Single(static one => one.AttributeType.Name == nameof(WeirContractAttribute)).ConstructorArguments[1].Value;
        var signature = (string)JsonNode.Parse((string)text!)!["operations"]![0]!["signature"]!;
        Assert.Contains($"Signature = 0x{signature.ToUpperInvariant()}UL", served.Text("Service.Things.g.cs"), StringComparison.Ordinal);
    }

    [Fact]
    public void A_service_that_is_not_served_over_HTTP_has_no_contract()
    {
        var output = Driver.Run(Driver.Library("[Weir.Service(Http = false)] public sealed class Things { public int M() => 0; }"));
        Assert.Empty(output.Compiled);
        Assert.DoesNotContain("WeirContract", output.Text("Service.Things.g.cs"), StringComparison.Ordinal);
    }

    private static JsonNode Operation(string method) => Contract(method)["operations"]![0]!;

    private static JsonNode Contract(string method, string types = Types)
    {
        var output = Driver.Run(Driver.Library($"{types}\n[Service] public sealed class Things\n{{\n{method}\n}}"));
        Assert.Empty(output.Reported);
        var attribute = output.Load().GetCustomAttributesData().Single(static one => one.AttributeType.Name == nameof(WeirContractAttribute));
        return JsonNode.Parse((string)attribute.ConstructorArguments[1].Value!)!;
    }
}
