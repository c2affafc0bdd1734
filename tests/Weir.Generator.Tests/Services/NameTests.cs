using System.Globalization;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>Names that C#, the generated code or a file system needs for itself.</summary>
public sealed class NameTests
{
    private const string Deep =
        """
        namespace Contoso.Commerce.Ordering.Application.Contracts.Responses;

        public sealed record Envelope<T>(T Value, string? Error = null);

        public sealed record PagedResult<T>(T[] Items, int Total);

        public sealed record 注文の概要についての長い長い名前<T>(T Inner);

        public enum CustomerOrderStateAsItIsShownToTheCustomer { Open, Closed }

        public sealed record CustomerOrderSummary(int Id, CustomerOrderStateAsItIsShownToTheCustomer State);

        [Weir.Service]
        public sealed class OrderQueries
        {
            public Envelope<PagedResult<Envelope<CustomerOrderSummary>>> Recent(Envelope<PagedResult<Envelope<CustomerOrderSummary>>> value) => value;

            public Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<int>>>>>>>>>>>>>> Deeper(
                Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<Envelope<int>>>>>>>>>>>>>> value) => value;

            public 注文の概要についての長い長い名前<注文の概要についての長い長い名前<注文の概要についての長い長い名前<注文の概要についての長い長い名前<int>>>>? 概要() => new(new(new(new(5))));
        }
        """;

    // Of the generated code, its runtime and the base library; of C#, below.
    private static readonly string[] Own =
    [
        "value", "ct", "Call", "System", "Weir", "Task", "Operation", "Context", "Result", "Argument", "Contract", "Catalog", "Proxy", "Client", "Bind", "Reader", "Writer", "Read", "Write", "ReadOrNull", "Instance",
        "reader", "writer", "output", "errors", "before", "seen", "seen0", "call", "call_", "operation", "service", "services", "context", "cancellationToken", "request", "json", "result", "item", "present", "invoker",
        "_client", "_invoker", "_services", "Operation0", "Json0", "JsonTypes", "of_value", "of_x", "x", "x_item", "x_present", "x_item_present", "of_x_item", "Argument_x", "read_x", "Init_x", "validator", "Validator", "message", "endpoint", "from",
        "String", "Int32", "Object", "Console", "Exception", "CancellationToken", "ValueTask", "IAsyncEnumerable", "__proto__", "constructor", "prototype", "then", "toString", "arguments", "eval", "undefined", "Promise", "Uint8Array",
        "CON", "aux", "nul", "COM1", "ünïcode", "名前", "ª", "_", "__", "_1", "a_b", "a__b", "İ", "ı",
    ];

    public static IEnumerable<string> Names =>
        SyntaxFacts.GetReservedKeywordKinds().Concat(SyntaxFacts.GetContextualKeywordKinds()).Select(SyntaxFacts.GetText).Where(static one => SyntaxFacts.IsValidIdentifier(one)).Concat(Own).Distinct();

    [Fact]
    public void Every_name_of_a_generated_file_fits_into_a_file_system()
    {
        var output = Driver.Run(Driver.Compilation("Some.Library", OutputKind.DynamicallyLinkedLibrary, Driver.Client, Deep));

        Assert.Empty(output.Compiled);
        Assert.All(output.Result.GeneratedSources, static one => Assert.InRange(Encoding.UTF8.GetByteCount(one.HintName), 1, 150));
        output.Load();
    }

    [Fact]
    public async Task Long_names_are_read_and_written()
    {
        var served = Served.From(Deep);

        Assert.Equal("""{"inner":{"inner":{"inner":{"inner":5}}}}""", await served.Respond("OrderQueries/概要", "{}"));
        Assert.Equal(
            """{"value":{"items":[{"value":{"id":7,"state":"Closed"},"error":null}],"total":1},"error":null}""",
            await served.Respond("OrderQueries/Recent", """{"value":{"value":{"items":[{"value":{"id":7,"state":"Closed"}}],"total":1}}}"""));
    }

    [Fact]
    public void Names_that_begin_alike_or_differ_in_case_only_have_different_files()
    {
        var prefix = new string('x', 200);
        var output = Driver.Run(Driver.Compilation(
            "Some.Library", OutputKind.DynamicallyLinkedLibrary, Driver.Client,
            $$"""
            public record {{prefix}}A(int X);
            public record {{prefix}}B(int X);
            public record {{prefix}}a(int X);
            public record Kind(int X);
            public record KIND(int X);
            [Weir.Service] public interface IFirst { Task M({{prefix}}A a, {{prefix}}B b, {{prefix}}a c, Kind d, KIND e); }
            [Weir.Service("other")] public interface IFIRST { Task N(); }
            [Weir.Service] public class S : IFirst { public Task M({{prefix}}A a, {{prefix}}B b, {{prefix}}a c, Kind d, KIND e) => Task.CompletedTask; }
            """));

        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
        var files = output.Result.GeneratedSources.Select(static one => one.HintName).ToList();
        Assert.Equal(files.Count, files.Distinct(StringComparer.OrdinalIgnoreCase).Count());
        Assert.Contains("typeof(global::IFirst)", output.Text("Clients.g.cs"), StringComparison.Ordinal);
        Assert.Contains("typeof(global::IFIRST)", output.Text("Clients.g.cs"), StringComparison.Ordinal);
        output.Load();
    }

    [Fact]
    public async Task Parameters_members_and_methods_may_have_any_name()
    {
        var chunks = Distinct(Names).Chunk(12).ToList();
        var code = new StringBuilder("namespace Sample {\n");
        for (var index = 0; index < chunks.Count; index++)
        {
            var names = chunks[index];
            code.AppendLine(CultureInfo.InvariantCulture, $"public sealed record R{index}({string.Join(", ", names.Select(static one => $"string @{one}"))});");
            code.AppendLine(CultureInfo.InvariantCulture, $"public sealed class I{index} {{ {string.Join(' ', names.Select(static one => $"public List<string?>? @{one} {{ get; init; }}"))} }}");
            code.AppendLine(CultureInfo.InvariantCulture, $"[Weir.Service(\"s{index}\")] public sealed class S{index} {{ {string.Join(' ', names.Select(static one => $"public int @{one}() => {one.Length};"))} }}");
            code.AppendLine(CultureInfo.InvariantCulture, $"[Weir.Service(\"p{index}\")] public sealed class P{index} {{ public R{index} Record(R{index} @{names[0]}) => @{names[0]}; public I{index} Init(I{index} @{names[1]}) => @{names[1]};");
            code.AppendLine(CultureInfo.InvariantCulture, $"public R{index} Members({string.Join(", ", names.Select(static one => $"string @{one}"))}) => new({string.Join(", ", names.Select(static one => $"@{one}"))});");
            code.AppendLine(CultureInfo.InvariantCulture, $"public int? Lists({string.Join(", ", names.Select(static one => $"List<int?>? @{one}"))}) => @{names[2]}?[0];");
            code.AppendLine(CultureInfo.InvariantCulture, $"[Weir.Get] public int Query({string.Join(", ", names.Select(static one => $"int[] @{one}"))}) => @{names[3]}.Length; }}");
        }

        var served = Served.From(code.Append('}').ToString());
        for (var index = 0; index < chunks.Count; index++)
        {
            var names = chunks[index];
            foreach (var name in names)
            {
                Assert.Equal($"{name.Length}", await served.Respond($"s{index}/{name}", "{}"));
            }

            var members = $"{{{string.Join(',', names.Select(static one => $"\"{one}\":\"{one}!\""))}}}";
            var record = $"{{{string.Join(',', names.Select(static one => $"\"{Member(one)}\":\"{one}!\""))}}}";
            Assert.Equal(Plain(record), Plain(await served.Respond($"p{index}/Members", members)));
            Assert.Equal(Plain(record), Plain(await served.Respond($"p{index}/Record", $"{{\"{names[0]}\":{record}}}")));
            Assert.Contains($"\"{Member(names[5])}\":[null,\"a\"]", Plain(await served.Respond($"p{index}/Init", $"{{\"{names[1]}\":{{\"{Member(names[5])}\":[null,\"a\"]}}}}")), StringComparison.Ordinal);
            Assert.Equal("7", await served.Respond($"p{index}/Lists", $"{{\"{names[2]}\":[7]}}"));
            Assert.Equal("1", Served.Result(await served.Run(served.Query($"p{index}/Query", (names[3], "7")).Good())));
        }
    }

    [Fact]
    public void Contracts_may_have_any_name()
    {
        var code = new StringBuilder("namespace Sample {\n");
        foreach (var (names, index) in Distinct(Names).Chunk(12).Select(static (names, index) => (names, index)))
        {
            code.AppendLine(CultureInfo.InvariantCulture, $"[Weir.Service(\"s{index}\")] public interface IS{index} {{ {string.Join(' ', names.Select(static one => $"Task<int> @{one}();"))} }}");
            code.AppendLine(CultureInfo.InvariantCulture, $"[Weir.Service(\"p{index}\")] public interface IP{index} {{ Task Texts({string.Join(", ", names.Select(static one => $"string? @{one}"))}); Task Lists({string.Join(", ", names.Select(static one => $"List<string?>? @{one}"))}); ");
            code.AppendLine(CultureInfo.InvariantCulture, $"[Weir.Get] Task<byte[]> Query({string.Join(", ", names.Select(static one => $"int?[]? @{one} = null"))}); [Weir.Get] IAsyncEnumerable<string> Values({string.Join(", ", names.Select(static one => $"int? @{one}"))}); }}");
        }

        foreach (var (name, index) in Own.Select(static (name, index) => (name, index)))
        {
            code.AppendLine(CultureInfo.InvariantCulture, $"[Weir.Service(\"own{index}\")] public interface IOwn{index} {{ Task<int> Body(int[] @{name}, CancellationToken ct_); Task Token(CancellationToken @{name}); [Weir.Get(\"a/{{{name}}}\")] Task Path(string @{name}); Task Send(IAsyncEnumerable<int> @{name}); }}");
        }

        var output = Driver.Run(Driver.Compilation("Some.Library", OutputKind.DynamicallyLinkedLibrary, Driver.Client, code.Append('}').ToString()));

        Assert.Empty(output.Reported);
        Assert.Equal("", string.Join('\n', output.Compiled.Select(static one => $"{one}: {one.Location.SourceTree?.GetText().Lines[one.Location.GetLineSpan().StartLinePosition.Line]}")));
        output.Load();
    }

    [Fact]
    public async Task Types_services_and_namespaces_may_have_any_name()
    {
        var names = Distinct(Names).Where(static one => !one.All(static character => character == '_')).ToList();
        var code = new StringBuilder();
        foreach (var (name, index) in names.Select(static (name, index) => (name, index)))
        {
            code.AppendLine(CultureInfo.InvariantCulture, $"namespace Sample.@{name} {{ public sealed record @{name}(int X, Of_.@{name}? Inner = null); public static class Of_ {{ public enum @{name} {{ None, @{name}_ }} }} }}");
            code.AppendLine(CultureInfo.InvariantCulture, $"namespace Sample.@{name} {{ [global::Weir.Service(\"{name}\")] public sealed class @{name}_ {{ public int M(@{name} value) => value.X; }} }}");
        }

        var served = Served.From(code.ToString());
        foreach (var name in names)
        {
            Assert.Equal("4", await served.Respond($"{name}/M", """{"value":{"x":4}}"""));
        }
    }

    private static string Member(string name) => System.Text.Json.JsonNamingPolicy.CamelCase.ConvertName(name);

    // Letters that are not ASCII may be written escaped.
    private static string Plain(string json) => System.Text.RegularExpressions.Regex.Unescape(json);

    private static IEnumerable<string> Distinct(IEnumerable<string> names) => names.Distinct(StringComparer.OrdinalIgnoreCase);
}
