// An application with an isolated class, which is published in every mode.
using Weir;

if (WeirWorker.TryRun(args)) return;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.Services.AddWeir(static weir => weir.Pool("tasks").MinWorkers = 0);
var app = builder.Build();
app.MapWeir();
app.Run();
