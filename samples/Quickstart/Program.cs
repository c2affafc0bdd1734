using Weir;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddWeir();
var app = builder.Build();
app.MapWeir();
app.Run();

[Service]
public sealed class Greeter
{
    [Get] public string Hello(string name) => $"Hello, {name}";

    [Get]
    public async IAsyncEnumerable<int> Count(int to)
    {
        for (var i = 1; i <= to; i++) { await Task.Delay(100); yield return i; }
    }

    [Get, Blocking] public string Legacy(int ms) { Thread.Sleep(ms); return "done"; }

    [Get, Isolated] public int WhoAmI() => Environment.ProcessId;

    [Isolated] public void Crash() => Environment.FailFast("broken");
}
