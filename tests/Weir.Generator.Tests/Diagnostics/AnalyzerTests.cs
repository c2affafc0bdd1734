using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Weir.CodeFixes;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Diagnostics;

/// <summary>What analyzers find in operations, and what code fixes make of it.</summary>
public sealed class AnalyzerTests
{
    private const string Head = "using System.IO; using Weir;\n";

    private const string Tag =
        "public class Tag { public static bool TryParse(string s, out Tag tag) { tag = new(); return true; } } public class Written : Tag { public static bool TryParse(string s, out Written one) { one = new(); return true; } public override string ToString() => \"\"; }\n";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static TheoryData<string, string> Found { get; } = new()
    {
        { "[Service] public class S { public void M() { {|WEIR1050:Thread.Sleep(5)|}; } }", "S.M runs on its caller's thread and calls Thread.Sleep, which blocks it: mark it [Blocking], or await Task.Delay" },
        { "[Service] public class S { public int M(int x) { var t = N(); return {|WEIR1050:t.Result|}; } private Task<int> N() => Task.FromResult(1); }", "calls Task.Result" },
        { "[Service] public class S { public void M() => {|WEIR1050:Task.Delay(1).Wait()|}; public void N() => {|WEIR1050:Task.Delay(1).GetAwaiter().GetResult()|}; public int O() => {|WEIR1050:P().ConfigureAwait(false).GetAwaiter().GetResult()|}; private async Task<int> P() { await Task.Yield(); return 1; } }", "or await the task" },
        { "[Service] public class S { public string M(string path) => {|WEIR1050:File.ReadAllText(path)|}; }", "calls File.ReadAllText, which blocks it: mark it [Blocking], or await ReadAllTextAsync" },
        { "[Service] public class S { public async Task M(string path) { await Task.Yield(); using var file = File.OpenRead(path); {|WEIR1050:file.Read(new byte[5], 0, 5)|}; } }", "calls FileStream.Read, which blocks it: await ReadAsync" },
        { "[Service] public class S { public void M() { void N() => {|WEIR1050:new ManualResetEvent(false).WaitOne()|}; N(); } }", "mark it [Blocking]" },
        { "[Service] public interface IFoo { Task M(); } [Service] public class Foo : IFoo { public Task M() { {|WEIR1050:Thread.Sleep(1)|}; return Task.CompletedTask; } }", "await Task.Delay" },
        { "[Service] public interface IFoo { Task M(); } [Service] public class Foo : IFoo { Task IFoo.M() { {|WEIR1050:Thread.Sleep(1)|}; return Task.CompletedTask; } public void N() => Thread.Sleep(1); }", "Foo.M runs on its caller's thread" },
        { "[Service] public interface IFoo { Task<int> M(int x); [IgnoreOperation] Task N(); } [Service(typeof(IFoo))] public class Foo { public int M(int x) { {|WEIR1050:Thread.Sleep(1)|}; return x; } public int M(string x) { Thread.Sleep(1); return 1; } public void N() => Thread.Sleep(1); }", "Foo.M runs" },
        { "[Service] public interface IFoo { Task M(); } public class Base : IFoo { public virtual Task M() => Task.CompletedTask; } [Service] public class Foo : Base { public override Task M() { {|WEIR1050:Thread.Sleep(1)|}; return Task.CompletedTask; } }", "Foo.M runs" },
        { "[Service] public interface IFoo { Task M(); } public class {|WEIR1056:Foo|} : IFoo { public Task M() => Task.CompletedTask; } [Service] public class S { public void M() { } }", "Foo implements the contract IFoo and is not marked, so nothing serves it: mark the class [Service]" },
        { "[Service] public interface IFoo { Task M(); } public interface IMore : IFoo; public abstract class Base : IMore { public Task M() => Task.CompletedTask; } internal sealed class {|WEIR1056:Foo|} : Base; [Service] public class S { public void M() { } }", "Foo implements the contract IFoo" },
        { "[Service] public class S { public void M() { } public static int {|WEIR1051:N|}() => 1; }", "S.N is static, so it is not an operation" },
        { Tag + "[Service] public class S { [Isolated(\"p\")] public int M(Tag {|WEIR1057:tag|}) => 1; public int N(Tag tag) => 1; }", "S.M: the type of 'tag' parses its own text and does not write it, so no call from code and no C# client can send it: override ToString in Tag" },
        { Tag + "[Service] public interface IFoo { Task M(Tag[] {|WEIR1057:tags|}); [IgnoreOperation] Task N(Tag tag); }", "IFoo.M: the type of 'tags'" },
        { "public record struct P(int X) { public static bool TryParse(string s, IFormatProvider? f, out P p) { p = new(1); return true; } } [Isolated] public class S { public int M(P? {|WEIR1057:p|} = null) => 1; }", "in P so that" },
    };

    public static TheoryData<string> Right { get; } = new()
    {
        "[Service] public class S { [Blocking] public void M() => Thread.Sleep(1); }",
        Tag + "[Service] public class S { public int M(Tag tag) => 1; } [Isolated] public class T { public int M([Microsoft.AspNetCore.Mvc.FromBody] Tag tag, Uri uri, Version version, System.Net.IPAddress address, System.Numerics.BigInteger number) => 1; public int N(Written one) => 1; private int O(Tag tag) => 1; }",
        "[Blocking] public class S { public void M() => Thread.Sleep(1); }",
        "[Isolated] public class S { public void M() => Thread.Sleep(1); }",
        "[Service] public class S { [Isolated(\"p\")] public void M() => Thread.Sleep(1); [Stream] public IEnumerable<int> N() { Thread.Sleep(1); yield return 1; } }",
        "[Service] public class S { public Task M() => Task.Run(() => Thread.Sleep(1)); [IgnoreOperation] public void N() => Thread.Sleep(1); internal void O() => Thread.Sleep(1); public void P() { } }",
        "[Service] public class S { public async Task<int> M() { var a = Task.FromResult(1); var b = Task.FromResult(2); await Task.WhenAll(a, b); return a.Result + b.Result; } }",
        "[Service] public class S { public bool M() => new SemaphoreSlim(1).Wait(0); public int N() { var m = new MemoryStream(); m.Write(new byte[3], 0, 3); m.CopyTo(Stream.Null); return m.Read(new byte[3], 0, 3); } }",
        "public class S { public void M() => Thread.Sleep(1); public static void N() { } }",
        "[Service] public interface IFoo { Task M(); [IgnoreOperation] Task O(); } [Service] public class Foo : IFoo { public Task M() => Task.CompletedTask; public Task O() { Thread.Sleep(1); return Task.CompletedTask; } public static int N() => 1; public void P() => Thread.Sleep(1); }",
        "[Service] public interface IFoo { Task M(); } [Service] public class Foo : IFoo { [Blocking] Task IFoo.M() { Thread.Sleep(1); return Task.CompletedTask; } }",
        "[Service] public interface IFoo { Task M(); } public class Foo : IFoo { public Task M() => Task.CompletedTask; }",
        "[Service] public interface IFoo { Task M(); } [Service] public class Foo : IFoo { public Task M() => Task.CompletedTask; } public class Other : IFoo { public Task M() => Task.CompletedTask; } public class Derived : Foo;",
        "[Service] public interface IFoo { Task M(); } public class Cached(Func<IFoo> inner) : IFoo { public Task M() => inner().M(); } [Service] public class S { public void M() { } private sealed class Nested : IFoo { public Task M() => Task.CompletedTask; } }",
        "[Service] public interface IFoo { Task M(); } file class Foo : IFoo { public Task M() => Task.CompletedTask; } public struct Bar : IFoo { public Task M() => Task.CompletedTask; } [Service] public class S { public void M() { } }",
        "[Service] public interface IFoo { Task M(); } [System.Diagnostics.CodeAnalysis.SuppressMessage(\"Weir\", \"WEIR1056\")] public class Foo : IFoo { public Task M() => Task.CompletedTask; } [Service] public class S { public void M() { } }",
        "[Service] public class S { public void M() { } [IgnoreOperation] public static int N() => 1; internal static int O() => 1; }",
        "public interface IMade<T> { static abstract T Make(); } [Service] public class S : IMade<S> { public void M() { } public static S Make() => new(); }",
    };

    public static TheoryData<string, string, string> Fixed { get; } = new()
    {
        { "[Service]\npublic class S\n{\n    // Waits.\n    public void M() => Thread.Sleep(1);\n}", "Add [Blocking]", "[Service]\npublic class S\n{\n    // Waits.\n    [Blocking]\n    public void M() => Thread.Sleep(1);\n}" },
        { "[Service]\npublic class S\n{\n    public void M() { }\n\n    public static int N() => 1;\n}", "Remove 'static'", "[Service]\npublic class S\n{\n    public void M() { }\n\n    public int N() => 1;\n}" },
        { "[Service]\npublic class S\n{\n    public void M() { }\n\n    public static int N() => 1;\n}", "Add [IgnoreOperation]", "[Service]\npublic class S\n{\n    public void M() { }\n\n    [IgnoreOperation]\n    public static int N() => 1;\n}" },
        { "[Service]\npublic class S\n{\n    [Get]\n    public IEnumerable<int> M() { yield return 1; }\n}", "Add [Stream]", "[Service]\npublic class S\n{\n    [Stream]\n    [Get]\n    public IEnumerable<int> M() { yield return 1; }\n}" },
        { "[Service]\npublic class S\n{\n    public async void M() { await Task.Yield(); }\n}", "Return Task", "[Service]\npublic class S\n{\n    public async Task M() { await Task.Yield(); }\n}" },
        { "public record P(int X);\n[Service]\npublic class S\n{\n    [Get(\"p\")] public void M(P p) { }\n}", "Replace [Get] by [Post]", "public record P(int X);\n[Service]\npublic class S\n{\n    [Post(\"p\")] public void M(P p) { }\n}" },
    };

    [Fact]
    public async Task A_task_of_a_sequence_is_not_fixed_by_an_attribute_that_would_be_refused()
    {
        const string Source = "[Service]\npublic class S\n{\n    public Task<IEnumerable<int>> M() => null!;\n}";

        Assert.Empty((await OfferedAsync(Source)).Actions);
    }

    [Theory]
    [InlineData("public List<Row> M() => {|WEIR1050:db.Rows.Where(one => one.Id > 1).ToList()|};", "calls Enumerable.ToList, which blocks it: mark it [Blocking], or await ToListAsync")]
    [InlineData("public Row M() => {|WEIR1050:db.Rows.First(one => one.Id == 1)|};", "calls Queryable.First, which blocks it: mark it [Blocking], or await FirstAsync")]
    [InlineData("public async Task<int> M() { await Task.Yield(); return {|WEIR1050:db.Set<Row>().Count()|}; }", "calls Queryable.Count, which blocks it: await CountAsync")]
    [InlineData("public int M() { var rows = db.Rows.OrderBy(one => one.Id); var more = rows.Skip(1); foreach (var row in {|WEIR1050:more|}) { return row.Id; } return {|WEIR1050:rows.Sum(one => one.Id)|}; }", "await foreach over AsAsyncEnumerable()")]
    [InlineData("public async IAsyncEnumerable<Row> M() { foreach (var row in {|WEIR1050:db.Rows|}) { yield return row; } await Task.Yield(); }", "calls IQueryable.GetEnumerator, which blocks it: await foreach over AsAsyncEnumerable()")]
    [InlineData("public Dictionary<int, Row> M() => {|WEIR1050:(from row in db.Rows where row.Id > 1 select row).ToDictionary(one => one.Id)|};", "await ToDictionaryAsync")]
    [InlineData("public Row? M() => {|WEIR1050:db.Rows.Find(1)|}; public Row? N() => {|WEIR1050:db.Find<Row>(1)|}; public int O() => {|WEIR1050:db.SaveChanges()|};", "calls DbContext.SaveChanges")]
    public async Task A_query_that_runs_at_once_is_a_warning(string marked, string message)
    {
        var markup = Markup.Parse($"{Head}{Database} [Service] public class S(Database db) {{ {marked} }}");
        var found = await Driver.Run(Driver.Library(markup.Source)).AnalyzedAsync(Cancel);

        Assert.Equal(markup.Places, found.Select(static one => (one.Id, one.Location.SourceSpan)).OrderBy(static one => one.SourceSpan.Start));
        Assert.Contains(found, one => one.GetMessage(CultureInfo.InvariantCulture).Contains(message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("[Blocking] public List<Row> M() => db.Rows.ToList();")]
    [InlineData("[Stream] public IEnumerable<Row> M() { foreach (var row in db.Rows) yield return row; }")]
    [InlineData("public int M(int[] numbers) { var list = numbers.AsQueryable().Where(one => one > 1); foreach (var one in list) { return one; } return list.Count() + numbers.ToList().Count + new List<int>().AsQueryable().First(); }")]
    [InlineData("public Task<int> M() => Task.Run(() => db.Rows.Count());")]
    [InlineData("public int M() { var query = db.Rows.Where(one => db.Rows.Any(other => other.Id == one.Id)).Select(one => one.Id).Take(5); return query is null ? 1 : 2; }")]
    public async Task What_runs_no_query_or_may_block_is_no_warning(string members) =>
        Assert.Empty(await Driver.Run(Driver.Library($"{Head}{Database} [Service] public class S(Database db) {{ {members} }}")).AnalyzedAsync(Cancel));

    // The names of Entity Framework Core, by which it is known.
    private const string Database =
        """
        namespace Microsoft.EntityFrameworkCore
        {
            public abstract class DbSet<T> : IQueryable<T>
            {
                public Type ElementType => null!;
                public System.Linq.Expressions.Expression Expression => null!;
                public IQueryProvider Provider => null!;
                public IEnumerator<T> GetEnumerator() => null!;
                System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => null!;
                public T? Find(params object[] keys) => default;
            }

            public class DbContext
            {
                public DbSet<T> Set<T>() => null!;
                public T? Find<T>(params object[] keys) => default;
                public int SaveChanges() => 0;
            }
        }

        public record Row(int Id);

        public class Database : Microsoft.EntityFrameworkCore.DbContext
        {
            public Microsoft.EntityFrameworkCore.DbSet<Row> Rows => null!;
        }

        """;

    [Theory]
    [MemberData(nameof(Found))]
    public async Task What_is_easily_overlooked_is_a_warning(string marked, string message)
    {
        var markup = Markup.Parse(Head + marked);
        var found = await Driver.Run(Driver.Library(markup.Source)).AnalyzedAsync(Cancel);

        Assert.Equal(markup.Places, found.Select(static one => (one.Id, one.Location.SourceSpan)).OrderBy(static one => one.SourceSpan.Start));
        Assert.Contains(found, one => one.GetMessage(CultureInfo.InvariantCulture).Contains(message, StringComparison.Ordinal));
        Assert.All(found, static one => Assert.Equal(DiagnosticSeverity.Warning, one.Severity));
    }

    [Theory]
    [MemberData(nameof(Right))]
    public async Task What_is_right_is_no_warning(string source) => Assert.Empty(await Driver.Run(Driver.Library(Head + source)).AnalyzedAsync(Cancel));

    [Theory]
    [MemberData(nameof(Fixed))]
    public async Task A_code_fix_writes_what_the_message_says(string source, string title, string expected)
    {
        var (document, offered) = await OfferedAsync(source);
        var operations = await offered.Single(one => one.Title == title).GetOperationsAsync(Cancel);

        var changed = operations.OfType<ApplyChangesOperation>().Single().ChangedSolution.GetDocument(document.Id)!;
        Assert.Equal(Head + expected, (await changed.GetTextAsync(Cancel)).ToString().ReplaceLineEndings("\n"));
    }

    private static async Task<(Document Document, List<CodeAction> Actions)> OfferedAsync(string source)
    {
        var compilation = Driver.Library(Head + source);
        var output = Driver.Run(compilation);
        var diagnostic = output.Reported.Concat(await output.AnalyzedAsync(Cancel)).First();
        using var workspace = new AdhocWorkspace();
        var project = workspace.AddProject(ProjectInfo.Create(
            ProjectId.CreateNewId(), VersionStamp.Default, "P", "P", LanguageNames.CSharp, metadataReferences: compilation.References, compilationOptions: compilation.Options, parseOptions: Driver.ParseOptions));
        var trees = compilation.SyntaxTrees.ToList();
        var solution = trees.Aggregate(project.Solution, (current, tree) => current.AddDocument(DocumentId.CreateNewId(project.Id), tree.FilePath, tree.GetText()));
        var document = solution.Projects.Single().Documents.Single(one => one.Name == trees[1].FilePath);
        var offered = new List<CodeAction>();

        await new WeirCodeFixProvider().RegisterCodeFixesAsync(new CodeFixContext(document, diagnostic, (action, _) => offered.Add(action), Cancel));
        return (document, offered);
    }

    [Fact]
    public async Task Every_line_of_the_list_names_an_API()
    {
        var compilation = Driver.Library("");
        using var list = new StreamReader(typeof(Weir.Generator.Analyzers.StaticMethodAnalyzer).Assembly.GetManifestResourceStream("BlockingCalls.txt")!);
        var ids = (await list.ReadToEndAsync(Cancel)).Split('\n').Where(static line => line.Length > 0 && line[0] != '#' && !line.Contains("EntityFrameworkCore", StringComparison.Ordinal))
            .Select(static line => line.Split('|')[0].Trim()).ToList();

        Assert.True(ids.Count > 50);
        Assert.All(ids, id => Assert.True(Exists(compilation, id), id));
    }

    private static bool Exists(CSharpCompilation compilation, string id)
    {
        var isType = id.StartsWith("-T:", StringComparison.Ordinal);
        var (type, member) = isType ? (id[3..], "") : (id[2..id.LastIndexOf('.')], id[(id.LastIndexOf('.') + 1)..]);
        var symbol = DocumentationCommentId.GetFirstSymbolForDeclarationId("T:" + type, compilation) as INamedTypeSymbol;
        return symbol is not null && (isType || symbol.GetMembers(member).Length > 0);
    }
}
