using Weir;

if (WeirWorker.TryRun(args)) return;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Services.AddWeir();
builder.Services.AddHttpClient("limited").AddFanOutLimits(static limits => limits.MaxConcurrency = 2);
var app = builder.Build();
app.MapWeir();
app.Run();
