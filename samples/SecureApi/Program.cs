using SecureApi.Billing;
using SecureApi.Setup;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddAuthentication().AddJwtBearer();        // the section Authentication:Schemes:Bearer
builder.Services.AddAuthorizationBuilder().AddPolicies();
builder.Services.AddRateLimits(builder.Configuration);
builder.Services.AddCors(cors => cors.AddDefaultPolicy(policy => policy
    .WithOrigins(builder.Configuration.GetSection("Cors:Origins").Get<string[]>() ?? []).AllowAnyHeader().AllowAnyMethod().WithExposedHeaders("Retry-After")));
builder.Services.AddProblemDetails();
builder.Services.AddHealthChecks().AddWeir();
builder.Services.AddOpenApi(BearerSecurity.Describe);
builder.Services.AddWeirOpenApi();
builder.Services.AddTelemetry(builder.Configuration);
builder.Services.AddSingleton<InvoiceBook>();
builder.Services.AddWeir();

var app = builder.Build();
app.UseStatusCodePages();                                   // 401, 403 and 429 are problem+json, as Weir's own problems are
app.UseCors();                                              // before authentication: a preflight has no token
app.UseAuthentication();
app.UseAuthorization();
app.UseRateLimiter();                                       // after it: each user has a limit
app.MapWeir().RequireAuthorization().RequireRateLimiting(RateLimits.PerUser);
app.MapHealthChecks("/health");
app.MapHealthChecks("/health/details", HealthReports.Detailed).RequireAuthorization(Access.Operate);
if (app.Environment.IsDevelopment())
{
    app.MapOpenApi();
    app.UseSwaggerUI(static page => page.SwaggerEndpoint("/openapi/v1.json", "Invoices"));
}

app.Run();
